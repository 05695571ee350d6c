// The inspector's access control for pages, which have headers and no request.
import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { inspectorIsOn } from '../features'
import { isLocalRequest } from './access'
import { hasInspectorSecret } from './secret'
import { arrivedDuringStartup } from '../peer-address'

/** Called by each page and not only by the layout: a layout is not rendered again on client-side navigation. */
export async function requireInspectorPage(): Promise<void> {
  if (!inspectorIsOn()) notFound()
  const given = await headers()
  if (isLocalRequest(given)) return hasInspectorSecret(given) ? undefined : redirect('/inspector/open')
  if (arrivedDuringStartup(given)) redirect('/inspector')
  notFound()
}
