// What a model is sent when all tools are declared, and when it finds them: the declarations of the first request, and all
// requests of a scripted conversation that needs three tools. Estimated as `toolgate list --tokens` does: bytes / 4.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { execute as describeTool } from '../../tools/reg_describe/handler.js'
import { execute as searchTools } from '../../tools/reg_search/handler.js'
import { compileToolSet } from '../tool-set.mjs'
import { toolgate } from '../toolgate.mjs'
import { manyTools, THREE_NEEDS } from './many-tools.mjs'

const require = createRequire(import.meta.url)
const { estimatedTokens } = require('../../js/tool-sets/declarations.js')
const { OpenAITransport } = require('../../js/transports/openai-transport.js')

const SIZES = [50, 500, 5000]
const META_TOOLS = { reg_describe: describeTool, reg_search: searchTools }
const ASK = { role: 'user', content: 'Where is shipment S-7? Refund invoice I-3, and assign ticket T-12.' }
const SAY = { role: 'assistant', content: 'Shipment S-7 is tracked, I-3 is refunded, T-12 is assigned.' }

/**
 * @param {number[]} [sizes] numbers of tools
 * @returns {Promise<{ tools: number, all: Sent, search: Sent }[]>}
 * @typedef {{ requests: number, declared: number, conversation: number }} Sent `declared`: tokens of the first request's
 *   declarations; `conversation`: tokens of the messages and declarations of all requests together
 */
export async function measureTokens(sizes = SIZES) {
  const rows = []
  for (const tools of sizes) rows.push(await measureSize(tools))
  return rows
}

async function measureSize(tools) {
  const many = manyTools(tools)
  const set = await compileToolSet([...many, ...Object.keys(META_TOOLS).map(shippedSchema)])
  const echo = ({ args }) => ({ ok: true, data: args })
  const handlers = { ...Object.fromEntries(many.map(({ toolId }) => [toolId, echo])), ...META_TOOLS }
  const registry = toolgate.createRegistry({ artifact: set.path, handlers })
  try {
    await registry.load()
    return { tools, all: await converse(registry, 'off'), search: await converse(registry, 'gate') }
  } finally {
    await registry.close({ timeoutMs: 0 })
    set.remove()
  }
}

const shippedSchema = name =>
  JSON.parse(readFileSync(new URL(`../../tools/${name}/schema.json`, import.meta.url), 'utf8'))

/** The calls that the model makes, one in each message. */
const callsOf = toolSearch =>
  THREE_NEEDS.flatMap(({ query, name, args }) => [
    ...(toolSearch === 'gate' ? [{ name: 'reg_search', args: { query } }] : []),
    { name, args },
  ])

async function converse(registry, toolSearch) {
  const session = await registry.createSession({ mode: 'text', toolSearch })
  const transport = new OpenAITransport(null, null, { meta: 'lean' })
  const messages = [ASK]
  const sent = []
  for (const call of [...callsOf(toolSearch), null]) {
    const tools = session.declared('openai')
    sent.push({ declared: estimatedTokens(tools), all: estimatedTokens({ messages, tools }) })
    messages.push(...(call === null ? [SAY] : await madeCall(session, transport, { call, tools, at: sent.length })))
  }
  const conversation = sent.reduce((sum, { all }) => sum + all, 0)
  return { requests: sent.length, declared: sent[0].declared, conversation }
}

/** The messages of one call and its answer. A model can call only what its request declares. */
async function madeCall(session, transport, { call: { name, args }, tools, at }) {
  if (!tools.some(tool => tool.function.name === name)) throw new Error(`\`${name}\` is not declared`)
  const id = `call_tokens_${String(at).padStart(4, '0')}`
  const toolCall = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
  const message = { role: 'assistant', content: null, tool_calls: [toolCall] }
  const [call] = transport.receiveToolCalls({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
  const result = await session.execute(call)
  if (!result.ok) throw new Error(`\`${name}\` failed: ${result.error.message}`)
  return [transport.assistantMessage, transport.sendToolResult({ ...call, result })]
}
