// A server on loopback that answers JSON requests as a test plans them, and keeps what it was asked.
import { once } from 'node:events'
import { createServer } from 'node:http'

import { afterTest } from '../../support/tool-set.mjs'

/**
 * @param {(request: { method: string, path: string, query: object, headers: object, body?: object }) => object} answer
 *   `{ status, headers, body }`, or `{ hang: true }`, `{ cut: true }`; `body` is sent as it is if it is a text
 * @returns {Promise<{ baseUrl: string, requests: object[] }>}
 */
export async function startJsonServer(answer) {
  const requests = []
  const server = createServer((request, response) => void serve(request, response, { answer, requests }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterTest(
    () =>
      new Promise(resolve => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return { baseUrl: `http://127.0.0.1:${server.address().port}`, requests }
}

async function serve(request, response, { answer, requests }) {
  let text = ''
  for await (const chunk of request) text += chunk
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const asked = {
    method: request.method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body: text ? JSON.parse(text) : undefined,
  }
  requests.push(asked)
  const { status = 200, headers = {}, body = {}, hang, cut } = answer(asked)
  if (hang) return
  if (cut) return void request.socket.destroy()
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
