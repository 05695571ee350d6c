// An MCP server that has whatever the scenarios of the conformance suite ask for, over HTTP on loopback, of one generation:
// node everything-server.mjs <legacy|modern>. It prints its URL.
import { Server } from '@modelcontextprotocol/server'

import { sdkServer } from '../support/sdk-server.mjs'
import { complete, list, prompt, read } from './everything-offers.mjs'
import { STATES } from './everything-rounds.mjs'
import { call, definitions } from './everything-tools.mjs'

const [, , era] = process.argv
const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
}

function everything() {
  const server = new Server(
    { name: 'everything', version: '1' },
    { capabilities: CAPABILITIES, requestState: { verify: STATES.verify } },
  )
  server.setRequestHandler('tools/list', () => ({ tools: definitions(era) }))
  server.setRequestHandler('tools/call', ({ params }, context) => call(params, context, notify))
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

const { http, notify } = sdkServer(era, everything)
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`))
