// A well-behaved MCP server of both generations over stdio, on the SDK: node tools-server.mjs
import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { Server, acceptedContent, inputRequired } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }
const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const nothing = { type: 'object' }

export const TOOLS = [
  { name: 'add', inputSchema: numbers, outputSchema: { type: 'object', properties: { sum: { type: 'number' } } } },
  { name: 'environment', inputSchema: nothing, _meta: { 'example/kept': true } },
  { name: 'greet', inputSchema: nothing },
  { name: 'count', inputSchema: nothing },
  { name: 'pause', inputSchema: { type: 'object', properties: { ms: { type: 'number' } } } },
  { name: 'crash', inputSchema: nothing },
  { name: 'report', inputSchema: nothing },
  { name: 'said', inputSchema: nothing },
]

let counted = 0
const text = value => ({ content: [{ type: 'text', text: String(value) }] })
const pause = ms => new Promise(resolve => setTimeout(resolve, ms))

const run = {
  add: ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } }),
  environment: () => text(JSON.stringify(process.env)),
  count: () => text((counted += 1)),
  pause: async ({ ms }) => {
    await pause(ms)
    return text('rested')
  },
  crash: () => process.exit(3),
  said: (args, { mcpReq }) => text(JSON.stringify({ args, meta: mcpReq._meta })),
  report: async (_, { mcpReq }) => {
    const { progressToken } = mcpReq._meta
    for (const progress of [1, 2]) {
      const params = { progressToken, progress, total: 2, message: 'x'.repeat(progress * 1000) }
      await mcpReq.notify({ method: 'notifications/progress', params })
    }
    // The client drops the reports that arrive together with the result.
    await pause(50)
    return text('reported')
  },
  greet: (_, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'who')
    if (answer !== undefined) return text(`hello ${answer.name}`)
    if (mcpReq.inputResponses?.who !== undefined) return text('no name')
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema: name }) } })
  },
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.env.PIDS !== undefined) appendFileSync(process.env.PIDS, `${process.pid}\n`)
  serveStdio(() => {
    const server = new Server({ name: 'tools', version: '1' }, { capabilities: { tools: { listChanged: true } } })
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
    server.setRequestHandler('tools/call', ({ params }, context) => run[params.name](params.arguments ?? {}, context))
    return server
  })
}
