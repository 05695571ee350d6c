// MCP servers of the SDK over HTTP, of one generation.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { json } from 'node:stream/consumers'

import { WebStandardStreamableHTTPServerTransport, createMcpHandler } from '@modelcontextprotocol/server'

const { goneSignal, webRequest, writeAnswer } = createRequire(import.meta.url)('../../js/mcp/web-exchange.js')

/**
 * @param {'legacy' | 'modern'} era
 * @param {() => import('@modelcontextprotocol/server').Server} newServer
 * @returns `http`: not listening yet; `notify`: announces changes to clients that are connected or listen; `forget`: ends the
 *   connections, as a server does that starts again
 */
export function sdkServer(era, newServer) {
  const { handle, notify, forget } = era === 'legacy' ? sessions(newServer) : stateless(newServer)
  const http = createServer(async (request, response) => {
    const signal = goneSignal(response)
    const parsedBody = request.method === 'POST' ? await json(request) : undefined
    const body = parsedBody === undefined ? {} : { body: JSON.stringify(parsedBody) }
    await writeAnswer(await handle(webRequest(request, signal, body), { parsedBody }), response)
  })
  const drop = async () => {
    http.closeAllConnections()
    await forget?.()
  }
  return { http, notify, forget: drop }
}

/** A session for each client, as clients before 2026-07-28 expect it. */
function sessions(newServer) {
  const [open, servers] = [new Map(), new Set()]
  const handle = async (request, options) => {
    const id = request.headers.get('mcp-session-id')
    if (id !== null) return open.get(id)?.handleRequest(request, options) ?? new Response(null, { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: begun => open.set(begun, transport),
    })
    const server = newServer()
    servers.add(server)
    await server.connect(transport)
    server.onclose = () => servers.delete(server)
    return transport.handleRequest(request, options)
  }
  const each = tell => Promise.all([...servers].map(tell))
  const notify = {
    toolsChanged: () => each(server => server.sendToolListChanged()),
    promptsChanged: () => each(server => server.sendPromptListChanged()),
    resourcesChanged: () => each(server => server.sendResourceListChanged()),
    resourceUpdated: uri => each(server => server.sendResourceUpdated({ uri })),
  }
  const forget = () => {
    open.clear()
    return each(server => server.close())
  }
  return { handle, notify, forget }
}

function stateless(newServer) {
  const handler = createMcpHandler(newServer, { legacy: 'reject' })
  return { handle: (request, options) => handler.fetch(request, options), notify: handler.notify }
}
