// The access rules of the inspector for its pages, which have headers and no request.
import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { inspectorIsOn } from '../features'
import { comesFromHere } from './access'
import { cameTooEarly } from './peer-address'

/** Each page asks, not the layout alone: a layout is not rendered again when a browser goes from page to page. */
export async function requireInspectorPage(): Promise<void> {
  if (!inspectorIsOn()) notFound()
  const given = await headers()
  if (comesFromHere(given)) return
  if (cameTooEarly(given)) redirect('/inspector')
  notFound()
}
