// One connection: mutated events through a transport, and what is wrong with the calls that it gave.
import { createRequire } from 'node:module'
import { seeded } from '../../../fuzz/random.cjs'
import { anthropicEvents } from './anthropic-events.mjs'
import { chatEvents } from './chat-events.mjs'
import { Conversation } from './conversation.mjs'
import { geminiEvents } from './gemini-events.mjs'
import { mutated } from './mutations.mjs'
import { allowedCalls } from './oracle.mjs'
import { realtimeEvents, responsesEvents } from './responses-events.mjs'

const require = createRequire(import.meta.url)
const { AnthropicTransport } = require('../support/gate-view.cjs')
const { GeminiLiveTransport } = require('../support/gate-view.cjs')
const { OpenAILiveTransport } = require('../support/gate-view.cjs')
const { OpenAIRealtimeTransport } = require('../support/gate-view.cjs')
const { OpenAITransport } = require('../support/gate-view.cjs')
const { isUnstable } = require('../../../js/adapters/call-id.js')
const { found } = require('../support/answers.cjs')

/**
 * @typedef {import('./conversation.mjs').WireEvent} WireEvent
 * @typedef {{ events: (random: Random, messages: import('./conversation.mjs').Message[]) => WireEvent[][], make: () => any, hasEnd: boolean, like?: string }} Protocol
 *   `like`: the protocol whose events it has, and whose rules hold
 */

/** @type {Record<string, Protocol>} */
export const PROTOCOLS = {
  chat: { events: chatEvents, make: () => new OpenAITransport(), hasEnd: true },
  responses: { events: responsesEvents, make: () => new OpenAITransport(), hasEnd: true },
  anthropic: { events: anthropicEvents, make: () => new AnthropicTransport(), hasEnd: true },
  realtime: { events: realtimeEvents, make: () => new OpenAIRealtimeTransport({ send() {} }), hasEnd: false },
  live: { events: responsesEvents, make: () => new NestedResponses({ send() {} }), hasEnd: true, like: 'responses' },
  gemini: { events: geminiEvents, make: () => new GeminiLiveTransport({ sendToolResponse() {} }), hasEnd: false },
}

/** GPT-Live, whose events have those of a response inside. */
class NestedResponses extends OpenAILiveTransport {
  /** @param {any} message @param {any} result */
  readMessage(message, result) {
    const isWhole = message.type === undefined && message.object === 'response'
    const event = isWhole ? { type: 'response.completed', response: message } : message
    super.readMessage({ type: 'response.event', delegation_id: 'dlg_1', event }, result)
  }

  /** @param {any} result */
  readEnd(result) {
    super.readMessage({ type: 'session.closed', reason: 'close_requested' }, result)
  }
}

/** @param {string} protocol */
const rulesOf = protocol => PROTOCOLS[protocol].like ?? protocol

/** The events of a seed. @param {string} protocol @param {number} seed @param {(random: Random) => WireEvent[][]} [make] instead of synthetic messages */
export function eventsOf(protocol, seed, make) {
  const random = seeded(seed)
  const messages = make?.(random) ?? PROTOCOLS[protocol].events(random, new Conversation(random).messages())
  return mutated(random, rulesOf(protocol), messages)
}

/**
 * What is wrong with the calls that the events give, or `null`.
 * @param {string} protocol
 * @param {WireEvent[]} events
 * @returns {string | null}
 */
export function faultOf(protocol, events) {
  const transport = PROTOCOLS[protocol].make()
  /** @type {any[]} */
  const given = []
  const problems = []
  const forms = events.map(formOf)
  if (PROTOCOLS[protocol].hasEnd) forms.push('[DONE]')
  for (const [at, form] of forms.entries()) {
    const calls = transport.receiveToolCalls(form)
    if (transport.problem !== null) problems.push(transport.problem)
    given.push(...calls)
    if (at % 3 === 0) for (const call of calls) transport.sendToolResult({ ...call, result: found() })
    if (transport.assistantMessage !== undefined) JSON.stringify(transport.assistantMessage)
  }
  const runnable =
    protocol === 'chat' || protocol === 'realtime' ? given.filter(({ args }) => args === '' || isObject(args)) : given
  return (
    faultOfCalls(runnable, allowedCalls(rulesOf(protocol), events)) ??
    lostCall(rulesOf(protocol), events, given, problems)
  )
}

/** @param {WireEvent} event */
function formOf({ frame, form }) {
  if (form === undefined || form === 'object') return structuredClone(frame)
  const text = JSON.stringify(frame)
  if (form === 'cut') return text.slice(0, text.length >> 1)
  return form === 'text' ? text : Buffer.from(text)
}

/**
 * Each call that was given is one that is allowed, was given under one id, and runs as often as the model meant it. All are of one turn:
 * those that the core knows by their content run once, also if one of them came under an id that it trusts.
 * @param {any[]} given @param {import('./oracle.mjs').Allowed[]} allowed
 */
function faultOfCalls(given, allowed) {
  /** @type {Map<string, string>} */
  const byId = new Map()
  /** The ids that the core trusts, by call. @type {Map<string, Set<string>>} */
  const trusted = new Map()
  for (const { id, name, args } of given) {
    if (typeof id !== 'string' || id === '') return `a call without an id: ${name}`
    const shape = shapeOf(name, args)
    if (byId.has(id) && byId.get(id) !== shape) return `two calls under the id \`${id}\`: ${byId.get(id)}, ${shape}`
    byId.set(id, shape)
    const ids = trusted.get(shape) ?? new Set()
    trusted.set(shape, isUnstable(id, name) ? ids : ids.add(id))
  }
  for (const [shape, ids] of trusted) {
    const readings = allowed.filter(
      ({ call, text }) => JSON.parse(shape)[0] === call.name && (text === null || shapeOf(call.name, text) === shape),
    )
    if (readings.length === 0) return `a call that no message has: ${shape}`
    const most = mostOf(readings)
    if (ids.size > most) return `${ids.size} runs where the messages have ${most}: ${shape}`
  }
  return null
}

/** How often equal readings may run: once for each id of the model that the core trusts, and once if there is none. @param {import('./oracle.mjs').Allowed[]} readings */
function mostOf(readings) {
  const own = readings.flatMap(({ call, ids }) => [...ids].filter(id => !isUnstable(id, call.name)))
  return Math.max(1, new Set(own).size)
}

/** Whether the gate reads a text as arguments. @param {string} text */
function isObject(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** @param {string} name @param {unknown} args */
function shapeOf(name, args) {
  if (typeof args !== 'string') return JSON.stringify([name, args])
  try {
    return JSON.stringify([name, args === '' ? {} : JSON.parse(args)])
  } catch {
    return JSON.stringify([name, args])
  }
}

/** A call of an ended message that was neither given nor named. @param {string} protocol @param {WireEvent[]} events @param {any[]} given @param {string[]} problems */
function lostCall(protocol, events, given, problems) {
  const text = problems.join('\n')
  for (const [at, { facts, frame }] of events.entries()) {
    const shown = JSON.stringify(frame)
    for (const { call } of facts) {
      if (call === undefined || !shown.includes(`"name":${JSON.stringify(call.name)}`)) continue
      if (protocol === 'realtime' && (frame.response_id ?? frame.response?.id) !== call.message) continue
      if (!hasEnd(protocol, call, events.slice(at))) continue
      const wasGiven = given.some(({ name }) => name === call.name)
      if (!wasGiven && !text.includes(`\`${call.name}\``) && !/ more not run/.test(text))
        return `\`${call.name}\` was lost in silence`
    }
  }
  return null
}

/** Whether the message of a call is over: several responses of Realtime may be open. @param {string} protocol @param {import('./conversation.mjs').Call} call @param {WireEvent[]} events */
function hasEnd(protocol, { message }, events) {
  const ends = events.filter(({ facts }) => facts.some(({ kind }) => kind === 'end'))
  const ended = ends.filter(({ frame }) => protocol !== 'realtime' || message === frame.response.id)
  return PROTOCOLS[protocol].hasEnd || ended.length > 0
}

/** The events of a failing case that are needed for it to fail. @param {string} protocol @param {WireEvent[]} events */
export function minimal(protocol, events) {
  let smallest = events
  for (let at = 0; at < smallest.length;) {
    const candidate = smallest.toSpliced(at, 1)
    if (candidate.length > 0 && failure(protocol, candidate) !== null) smallest = candidate
    else at += 1
  }
  return smallest
}

/** The fault of the events, also where a reader throws. @param {string} protocol @param {WireEvent[]} events */
export function failure(protocol, events) {
  try {
    return faultOf(protocol, events)
  } catch (error) {
    return `thrown: ${/** @type {Error} */ (error).stack}`
  }
}
