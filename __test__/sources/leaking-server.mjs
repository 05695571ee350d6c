// A server that gives its key away wherever it can: in reports, logs, on its error output, in questions, in the names of members and in
// what it refuses. An elicitation is answered before the call is.
import { createInterface } from 'node:readline'

const { KEY: key } = process.env
const CUT = 1000
const say = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const serverInfo = { name: 'leaking', version: '1' }
const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } }
const question = {
  method: 'elicitation/create',
  params: { mode: 'form', message: `May I send ${key}?`, requestedSchema: { type: 'object', properties: {} } },
}

const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities, serverInfo }),
  'server/discover': () => ({
    ...{ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, serverInfo },
    ...{ ttlMs: 1000, cacheScope: 'private' },
  }),
  'tools/list': () => ({
    ...{ resultType: 'complete', ttlMs: 1000, cacheScope: 'private' },
    tools: [{ name: 'look', inputSchema: { type: 'object' } }],
  }),
}

/** The call that waits for the answer to its question. */
let asking

function call(id, { arguments: { round } = {}, _meta }) {
  if (round)
    return say({ id, result: { resultType: 'input_required', inputRequests: { ask: question }, requestState: key } })
  // The key is cut in two by the end of a report, and by the end of a write.
  const message = 'x'.repeat(CUT - 8) + key
  say({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1, message } })
  say({ method: 'notifications/message', params: { level: 'error', data: { [key]: [key] } } })
  process.stderr.write(`starts with ${key.slice(0, 8)}`, () =>
    setTimeout(() => {
      process.stderr.write(`${key.slice(8)}\nand ends with ${key}`)
      asking = id
      say({ id: 'question', ...question })
    }, 50),
  )
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'tools/call') return call(id, params)
  if (id === 'question') return say({ id: asking, result: { content: [{ type: 'text', text: 'looked' }] } })
  if (answers[method]) return say({ id, result: answers[method]() })
  if (id !== undefined) say({ id, error: { code: -32603, message: `${key} may not`, data: { [key]: key } } })
})
