// MCP servers over HTTP on loopback: the SDK's own, and one that misbehaves in each answer.
import { createServer } from 'node:http'

import { Server, createMcpHandler } from '@modelcontextprotocol/server'

import { afterTest } from '../support/tool-set.mjs'
import { withDefaults } from './support.mjs'
import { TOOLS } from './tools-server.mjs'

const MEGABYTE = 1024 * 1024
const text = value => ({ content: [{ type: 'text', text: String(value) }] })

async function listening(answer) {
  const requests = []
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    requests.push({
      method: request.method,
      headers: request.headers,
      body: body === '' ? undefined : JSON.parse(body),
    })
    await answer(request, response, body)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  afterTest(() => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, requests }
}

export const httpConfig = (url, { headers, ...fields } = {}) => withDefaults({ transport: { url, headers }, ...fields })

/** A server of 2026-07-28 on the SDK. Its tool `greet` asks for a name by an `input_required` result. */
export function modernServer(run) {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'modern', version: '1' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
      server.setRequestHandler('tools/call', ({ params }, context) => run[params.name](params.arguments ?? {}, context))
      return server
    },
    { legacy: 'reject' },
  )
  return listening(async (request, response, body) => {
    const answer = await handler.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method,
        headers: request.headers,
        ...(body === '' ? {} : { body }),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk)
    response.end()
  })
}

/**
 * A server of 2025-11-25 that answers each call with `answerCall`.
 * @param {(exchange: { response: object, id: number, params: object, headers: object }) => void} answerCall
 * @param {{ initialize?: (response: object, id: number) => void }} [options]
 */
export function legacyServer(answerCall, { initialize = initialized } = {}) {
  return listening((request, response, body) => {
    if (request.method !== 'POST') return response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
    const { id, method, params } = JSON.parse(body)
    if (id === undefined) return response.writeHead(202).end()
    // An answer of the client.
    if (method === undefined && answerCall === misbehaviours['takes-no-answers']) return undefined
    if (method === 'initialize') return initialize(response, id)
    if (method === 'tools/list') return sendJson(response, id, { tools: TOOLS })
    if (method === 'tools/call') return answerCall({ response, id, params, headers: request.headers })
    return sendBody(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
  })
}

function initialized(response, id) {
  response.setHeader('mcp-session-id', 'one-session')
  const serverInfo = { name: 'legacy', version: '1' }
  sendJson(response, id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo })
}

export const sendJson = (response, id, result) => sendBody(response, { jsonrpc: '2.0', id, result })

function sendBody(response, message) {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(message))
}

/** How a call is answered. */
export const misbehaviours = {
  fine: ({ response, id }) => sendJson(response, id, text('done')),
  redirect: ({ response }) => response.writeHead(307, { location: '/elsewhere' }).end(),
  'redirect-elsewhere': ({ response }) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  'endless-body': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const chunk = 'x'.repeat(MEGABYTE)
    response.write('{"jsonrpc":"2.0","result":"')
    const more = () => !response.destroyed && response.write(chunk, () => setImmediate(more))
    more()
  },
  'endless-event': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = 'x'.repeat(MEGABYTE)
    response.write('data: "')
    const more = () => !response.destroyed && response.write(chunk, () => setImmediate(more))
    more()
  },
  'many-events': ({ response, id }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    // More than a message may have, in all.
    for (let at = 0; at < 6; at += 1) response.write(`: ${'x'.repeat(MEGABYTE)}\r\n\r\n`)
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: text('done') })}\n\n`)
  },
  'ping-flood': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < 20_000; at += 1)
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: `p${at}`, method: 'ping' })}\n\n`)
  },
  'takes-no-answers': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const ask = at => {
      if (response.destroyed) return
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: `p${at}`, method: 'ping' })}\n\n`)
      setTimeout(ask, 100, at + 1)
    }
    ask(0)
  },
  'deep-event': ({ response, id }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    response.end(`data: {"jsonrpc":"2.0","id":${id},"result":${deep}}\n\n`)
  },
  'ends-without-answer': ({ response }) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  'breaks-off': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"jsonrpc":', () => response.destroy())
  },
  'not-json': ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>'),
  fails: ({ response }) => response.writeHead(500).end('broken'),
  unauthorized: ({ response }) => response.writeHead(401).end(),
  forbidden: ({ response }) => response.writeHead(403).end(),
  forgotten: ({ response }) => response.writeHead(404).end(),
  'too-fast': ({ response }) => response.writeHead(429).end(),
  'bad-request': ({ response }) => response.writeHead(400).end('no'),
  silent: () => {},
}
