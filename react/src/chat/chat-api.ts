// Requests to the routes of `createAgentRoutes`.
import { reach } from '../text/read-error.js'

export interface ChatAddress {
  /** The path of the routes, such as `/api/agent`. */
  api: string
  /** Which chat of the user. */
  id: string
}

/** @throws RequestFailure if the server was not reached */
export function postTo({ api, id }: ChatAddress, route: string, body: object, init?: RequestInit): Promise<Response> {
  return reach(`${api}/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, ...body }),
    ...init,
  })
}

/** @throws RequestFailure if the server was not reached */
export const getFrom = ({ api, id }: Partial<ChatAddress>, route: string): Promise<Response> =>
  reach(`${api}/${route}${id === undefined ? '' : `?id=${encodeURIComponent(id)}`}`)
