// An MCP server that has whatever the scenarios of the conformance suite ask for, over HTTP on loopback, of one generation:
// node everything-server.mjs <legacy|modern>. It prints its URL.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { json } from 'node:stream/consumers'

import { Server, WebStandardStreamableHTTPServerTransport, createMcpHandler } from '@modelcontextprotocol/server'

import { complete, list, prompt, read } from './everything-offers.mjs'
import { STATES } from './everything-rounds.mjs'
import { call, definitions } from './everything-tools.mjs'

const { goneSignal, webRequest, writeAnswer } = createRequire(import.meta.url)('../../js/mcp/web-exchange.js')
const [, , era] = process.argv
const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
}
/** Announces a change of a list to clients that listen. */
let changed = () => {}

function everything() {
  const server = new Server(
    { name: 'everything', version: '1' },
    { capabilities: CAPABILITIES, requestState: { verify: STATES.verify } },
  )
  server.setRequestHandler('tools/list', () => ({ tools: definitions(era) }))
  server.setRequestHandler('tools/call', ({ params }, context) => call(params, context, list => changed(list)))
  for (const method of ['resources/list', 'resources/templates/list', 'prompts/list'])
    server.setRequestHandler(method, () => list(method))
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri))
  server.setRequestHandler('prompts/get', ({ params }, context) => prompt(params, context))
  server.setRequestHandler('completion/complete', ({ params }) => complete(params))
  if (era === 'legacy') {
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) server.setRequestHandler(method, () => ({}))
  }
  return server
}

/** A session for each client, as clients before 2026-07-28 expect it. */
function sessions() {
  const open = new Map()
  return async (request, parsedBody) => {
    const known = open.get(request.headers.get('mcp-session-id'))
    if (known !== undefined) return known.handleRequest(request, { parsedBody })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => open.set(id, transport),
    })
    await everything().connect(transport)
    return transport.handleRequest(request, { parsedBody })
  }
}

function stateless() {
  const handler = createMcpHandler(everything, { legacy: 'reject' })
  changed = list => (list === 'tools' ? handler.notify.toolsChanged() : handler.notify.promptsChanged())
  return (request, parsedBody) => handler.fetch(request, { parsedBody })
}

const handle = era === 'legacy' ? sessions() : stateless()
const http = createServer(async (request, response) => {
  const signal = goneSignal(response)
  const parsedBody = request.method === 'POST' ? await json(request) : undefined
  const body = parsedBody === undefined ? {} : { body: JSON.stringify(parsedBody) }
  await writeAnswer(await handle(webRequest(request, signal, body), parsedBody), response)
})
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`))
