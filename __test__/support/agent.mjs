// An agent's page without a browser: the routes over tools of the test, a scripted model, and a chat that keeps its messages as
// `useChat` does.
import { convertToModelMessages, parseJsonEventStream, readUIMessageStream, streamText, uiMessageChunkSchema } from 'ai'
import { scriptedModel } from '../adapters/scripted-provider.mjs'
import web from '../../js/web/index.js'
import { openGate } from './gate.mjs'

export const HOST = 'localhost:3000'
const TEXT = { properties: { to: { type: 'string' } }, required: ['to'] }

/** A write that asks, and a read. */
export const TOOLS = {
  send_note: {
    kind: 'write',
    requiresConfirmation: true,
    confirmation: { preview: 'Send the note to {to}' },
    execute: ({ args }) => ({ ok: true, data: { sent: args.to } }),
    ...TEXT,
  },
  find_note: { execute: ({ args }) => ({ ok: true, data: { found: args.to } }), ...TEXT },
}

export const call = (id, name = 'send_note', to = 'Ada') => ({ id, name, args: JSON.stringify({ to }) })
export const user = (text, id = `u-${text}`) => ({ id, role: 'user', parts: [{ type: 'text', text }] })
export const textOf = message => message.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')

/**
 * @param {(string | object[])[]} rounds of the model
 * @param {object} [options] of the routes; `tools` and `registry`: of the gate
 */
export async function openAgent(rounds, { tools = TOOLS, registry: registryOptions = {}, ...options } = {}) {
  const gate = await openGate(tools, registryOptions)
  const { model, requests } = scriptedModel(rounds)
  const routes = web.createAgentRoutes(gate.registry, {
    answer: async ({ messages, tools: given, ...more }) =>
      streamText({
        model,
        maxRetries: 0,
        onError: () => {},
        messages: await convertToModelMessages(messages, { tools: given }),
        tools: given,
        ...more,
      }),
    ...options,
  })
  return { ...gate, requests, routes, page: headers => new Page(routes, headers) }
}

/** A browser of an app that is served. @param {string} url */
export function overHttp(url) {
  const send = async request => {
    const { pathname, search } = new URL(request.url)
    const headers = Object.fromEntries([...request.headers].filter(([name]) => name !== 'host'))
    const body = request.method === 'GET' ? undefined : await request.text()
    return fetch(`${url}${pathname}${search}`, { method: request.method, headers, body })
  }
  return new Page({ GET: send, POST: send, DELETE: send })
}

/** One browser: its cookie, and the messages of a chat. */
export class Page {
  cookie = ''
  cards = []
  parts = []
  messages = []
  #routes
  #headers

  constructor(routes, headers = {}) {
    this.#routes = routes
    this.#headers = headers
  }

  async fetch(method, path, body, { headers, ...init } = {}) {
    const url = `http://${HOST}/api/agent/${path}`
    const cookie = [this.#headers.cookie, this.cookie].filter(Boolean).join('; ')
    const all = { host: HOST, ...(body !== undefined && { 'content-type': 'application/json' }), ...this.#headers }
    const sent = { ...all, ...(cookie && { cookie }), ...headers }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await this.#routes[method](new Request(url, { method, headers: sent, body: text, ...init }))
    const [set] = response.headers.getSetCookie()
    if (set) this.cookie = set.split(';')[0]
    return response
  }

  async json(method, path, body) {
    const response = await this.fetch(method, path, body)
    return { status: response.status, ...(await response.json()) }
  }

  /** Asks for the model's words about what was decided, as `sendMessage()` without a message; the new text, null for none. */
  async goOn({ messages = this.messages, ...more } = {}) {
    this.messages = messages
    const before = textOf(messages.at(-1))
    const response = await this.fetch('POST', 'chat', { messages, ...more })
    if (response.status !== 200) return { status: response.status, ...(await response.json()) }
    await this.read(response)
    const text = textOf(this.messages.at(-1))
    return text === before ? null : text.slice(before.length)
  }

  /** Sends a message with those before it; the text of the answer. */
  async say(text, { id, voice, signal, messages = [...this.messages, user(text)] } = {}) {
    this.messages = messages
    const response = await this.fetch('POST', 'chat', { id, messages, voice }, { signal })
    if (response.status !== 200) return { status: response.status, ...(await response.json()) }
    await this.read(response)
    return textOf(this.messages.at(-1))
  }

  /** Reads an answer as `useChat` does: also what was cut is kept. */
  async read(response) {
    const chunks = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema })
    const note = value => {
      this.parts.push(value)
      if (value.type === 'data-confirmation') this.cards.push(value.data)
    }
    const values = chunks.pipeThrough(
      new TransformStream({
        transform({ value }, controller) {
          note(value)
          if (!value.transient) controller.enqueue(value)
        },
      }),
    )
    const known = this.messages.at(-1)
    const message = known?.role === 'assistant' ? structuredClone(known) : undefined
    let last
    for await (const state of readUIMessageStream({
      message,
      stream: values,
      onError: () => {},
      terminateOnError: false,
    }))
      last = state
    if (last) this.messages = [...(message ? this.messages.slice(0, -1) : this.messages), last]
  }

  decide(card, decision, more = {}) {
    return this.json('POST', 'confirmations', { confirmationToken: card.token, decision, ...more })
  }
}

/** The gate's answers that a request to the model has, by call id. */
export { toolMessages } from '../adapters/scripted-provider.mjs'
