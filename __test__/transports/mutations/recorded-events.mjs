// Recorded frames of services as messages with facts. Absent where the corpus is.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const corpus = process.env.TOOLGATE_CORPUS ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url))

/**
 * @typedef {import('./conversation.mjs').WireEvent} WireEvent
 * @typedef {import('./conversation.mjs').Fact} Fact
 */

/** @param {string} file @returns {any[]} */
function framesOf(file) {
  const path = `${corpus}/${file}`
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  const records = lines.map(line => JSON.parse(line))
  return records.filter(({ dir, what }) => `${dir} ${what}`.includes('server->client')).map(({ json }) => json)
}

/** @param {any} item @returns {import('./conversation.mjs').Call} */
const callOf = item => ({ id: item.call_id, name: item.name, args: item.arguments, item: item.id, message: '' })

/** @param {any} frame @returns {Fact[]} */
function realtimeFacts(frame) {
  const items = [frame.item, ...(frame.response?.output ?? [])].filter(item => item?.type === 'function_call')
  if (frame.type === 'response.created') return [{ kind: 'begin' }]
  if (frame.type === 'response.output_item.added') return items.map(item => ({ kind: 'named', call: callOf(item) }))
  if (frame.type === 'response.output_item.done')
    return items.flatMap(item => [
      { kind: 'whole', call: callOf(item), text: item.arguments },
      { kind: 'reason', call: callOf(item), word: item.status },
    ])
  if (frame.type !== 'response.done') return []
  const listed = items.map(item => ({
    kind: /** @type {const} */ ('listed'),
    call: callOf(item),
    text: item.arguments,
  }))
  return [...listed, { kind: 'reason', word: frame.response.status }, { kind: 'end' }]
}

/** @param {any} frame @returns {Fact[]} */
function geminiFacts(frame) {
  const calls = frame.toolCall?.functionCalls ?? []
  const whole = calls.map((/** @type {any} */ { id, name, args }) => ({
    kind: 'whole',
    call: { id, name, args: JSON.stringify(args), item: id, message: '' },
    text: JSON.stringify(args),
  }))
  return frame.serverContent?.turnComplete === true ? [...whole, { kind: 'end' }] : whole
}

/** @param {any[]} frames @param {(frame: any) => Fact[]} factsOf @returns {WireEvent[][]} at each end */
function messagesOf(frames, factsOf) {
  /** @type {WireEvent[][]} */
  const messages = [[]]
  for (const frame of frames) {
    const event = { frame, facts: factsOf(frame) }
    messages[messages.length - 1].push(event)
    if (event.facts.some(({ kind }) => kind === 'end')) messages.push([])
  }
  return messages.filter(({ length }) => length > 0)
}

const RECORDED = {
  realtime: ['openai-6.49.0', 'openai-7.57.0'].map(name => messagesOf(framesOf(`wire/${name}.jsonl`), realtimeFacts)),
  gemini: [
    ...['genai-live-2.32.0', 'genai-live-3.1.0'].map(name => `wire/${name}.jsonl`),
    'peers/gemini-live-recordings.jsonl',
  ].map(file => messagesOf(framesOf(file), geminiFacts)),
}

/** By protocol: some messages of a recording. @type {Record<string, (random: import('../../../fuzz/random.cjs').Random) => WireEvent[][]>} */
export const recordedMessages = Object.fromEntries(
  Object.entries(RECORDED)
    .map(([protocol, recordings]) => [protocol, recordings.filter(({ length }) => length > 0)])
    .filter(([, recordings]) => recordings.length > 0)
    .map(([protocol, recordings]) => [
      protocol,
      (/** @type {any} */ random) => {
        const messages = random.pick(/** @type {any} */ (recordings))
        const first = random.below(messages.length)
        return messages.slice(first, first + 3)
      },
    ]),
)
