// The access rules of the inspector for its pages, which have headers and no request.
import { headers } from 'next/headers'
import { notFound } from 'next/navigation'
import { inspectorIsOn } from '../features'
import { comesFromHere } from './access'

/** Each page asks, not the layout alone: a layout is not rendered again when a browser goes from page to page. */
export async function requireInspectorPage(): Promise<void> {
  if (!inspectorIsOn() || !comesFromHere(await headers())) notFound()
}
