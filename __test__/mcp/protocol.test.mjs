// Every frame that the server sends, against the protocol's own schema; and messages that must not be taken for any.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'

import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import Ajv from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

import { createMcpServer } from '../../js/mcp/index.js'
import { eventually, openGate } from '../support/gate.mjs'
import { attached } from './support.mjs'

const CORPUS = process.env.TOOLGATE_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))
const SCHEMA = path.join(CORPUS, 'peers', 'mcp-spec-2025-11-25.schema.json')
const REJECTION = path.join(CORPUS, 'peers', 'mcp-rejection.jsonl')
const isPresent = existsSync(SCHEMA) && existsSync(REJECTION)
if (!isPresent)
  console.log(
    `the protocol's schema was not found at \`${SCHEMA}\` (TOOLGATE_CORPUS); frames are not checked against it`,
  )
const whereThere = isPresent ? test : test.skip

const TOOLS = {
  order: {
    kind: 'write',
    requiresConfirmation: true,
    title: 'Order',
    properties: { what: { type: 'string' } },
    confirmation: { preview: 'Order {what}' },
  },
  find: {
    kind: 'read',
    properties: { any: true, none: false, text: { type: 'string' } },
    loweringAccepted: [],
    lintAccepted: ['lowering-lost'],
    resultSchema: { type: 'object', properties: { found: { type: 'array' } }, required: ['found'] },
    execute: ({ progress }) => {
      progress('looking')
      return { ok: true, data: { found: [1, null, 'two'] } }
    },
  },
  list: { resultSchema: { type: 'array' }, execute: () => ({ ok: true, data: [1] }) },
  fail: {
    execute: () => {
      throw new Error('an untyped one')
    },
  },
}

/** What each answer must be, by the method that was asked. */
const RESULTS = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
}
const MESSAGES = {
  'notifications/progress': 'ProgressNotification',
  'elicitation/create': 'ElicitRequest',
  'notifications/cancelled': 'CancelledNotification',
}

function checker() {
  const ajv = formats(new Ajv({ strict: false, allErrors: true }))
  ajv.addSchema(JSON.parse(readFileSync(SCHEMA, 'utf8')), 'mcp')
  return (name, value) => {
    const validate = ajv.getSchema(`mcp#/$defs/${name}`)
    expect({ name, errors: validate(value) ? [] : validate.errors, value }).toEqual({ name, errors: [], value })
  }
}

whereThere('every frame is one of the protocol', async () => {
  const check = checker()
  const { registry } = await openGate(TOOLS, { onHandlerError: () => {} })
  const user = await attached(registry, {
    elicit: ({ message }) => ({ action: message.includes('tea') ? 'accept' : 'decline', content: {} }),
    options: { heartbeatMs: 5 },
  })
  const { client, frames, sent } = user
  await client.listTools()
  const call = (name, args, options) => client.callTool({ name, arguments: args }, options).catch(() => {})
  for (const [name, args] of [
    ['order', { what: 'tea' }],
    ['order', { what: 'gin' }],
    ['find', {}],
    ['find', { none: 1 }],
    ['list'],
    ['fail'],
    ['nothing'],
  ]) {
    await call(name, args, { onprogress: () => {} })
  }
  await client.ping()
  const methods = new Map(sent.flatMap(({ id, method }) => (method === undefined ? [] : [[id, method]])))
  const seen = new Set()
  for (const frame of frames) {
    check('JSONRPCMessage', frame)
    const name =
      frame.method !== undefined
        ? MESSAGES[frame.method]
        : frame.error !== undefined
          ? 'JSONRPCErrorResponse'
          : RESULTS[methods.get(frame.id)]
    expect(name).toBeDefined()
    check(name, frame.result ?? frame)
    seen.add(name)
  }
  expect([...seen].sort()).toEqual([
    'CallToolResult',
    'ElicitRequest',
    'EmptyResult',
    'InitializeResult',
    'JSONRPCErrorResponse',
    'ListToolsResult',
    'ProgressNotification',
  ])
})

const rejected = isPresent
  ? readFileSync(REJECTION, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  : []

whereThere(
  'what is no message of the protocol is answered as such, or not at all, and the server goes on',
  async () => {
    const { registry } = await openGate({ echo: { properties: { text: { type: 'string' } } } })
    for (const {
      name,
      json: { message, expect: outcome, errorCode },
    } of rejected) {
      const { say, frames, close } = await overLines(registry)
      for (const one of [INITIALIZE, message, { jsonrpc: '2.0', id: 'after', method: 'ping' }]) say(one)
      await eventually(() => frames().some(({ id }) => id === 'after'), `an answer after ${name}`)
      const answers = () => frames().filter(({ id }) => id !== 'first' && id !== 'after')
      if (outcome.endsWith('response')) await eventually(() => answers().length === 1, `an answer to ${name}`)
      // A call without the name of a tool has wrong parameters; the SDK's own answer to it is an internal error.
      const code = errorCode === -32603 ? -32602 : errorCode
      expect([name, answers().map(({ id, error }) => [id, error?.code])]).toEqual([
        name,
        outcome.endsWith('response') ? [[message.id, code]] : [],
      ])
      await close()
    }
  },
)

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
}

/** The server behind two streams: messages as a client would write them, also such as no client writes. */
async function overLines(registry) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let text = ''
  output.setEncoding('utf8').on('data', part => {
    text += part
  })
  const server = createMcpServer(registry)
  await server.connect(new StdioServerTransport(input, output))
  return {
    say: message => input.write(`${JSON.stringify(message)}\n`),
    frames: () =>
      text
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line)),
    close: () => server.close(),
  }
}
