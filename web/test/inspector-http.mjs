// Requests of the inspector's page, and requests that it must refuse.
import { request } from 'node:http'
import { once } from 'node:events'
import { Browser } from './browser.mjs'
import { AS_INSPECTOR } from './web-server.mjs'

export class InspectorClient extends Browser {
  /** A request with the inspector's secret. */
  fetch(path, { headers, ...init } = {}) {
    return super.fetch(path, { ...init, headers: { ...AS_INSPECTOR, ...headers } })
  }

  /** @param {object} call `{ name, args }`, and what else the route takes; args that are no text become JSON */
  async call({ args = {}, ...call }) {
    const response = await this.postJson('/api/inspector/calls', {
      ...call,
      args: typeof args === 'string' ? args : JSON.stringify(args),
    })
    return { status: response.status, body: await response.json() }
  }

  async decide(confirmationToken, decision, attachment = {}) {
    const response = await this.postJson('/api/inspector/confirmations', { ...attachment, confirmationToken, decision })
    return { status: response.status, body: await response.json() }
  }

  async read(path) {
    const response = await this.fetch(path)
    return { status: response.status, body: await response.json() }
  }
}

/** A request with headers that `fetch` does not allow, such as `Host`. */
export async function rawRequest(url, { method = 'GET', headers = {}, body } = {}) {
  const sent = request(url, { method, headers })
  sent.end(body)
  const [response] = await once(sent, 'response')
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, text }
}

/** The events of a stream of server-sent events, as they come; ended by `stop`. */
export async function readEvents(url, { headers = {} } = {}) {
  const ending = new AbortController()
  const response = await fetch(url, { headers: { ...AS_INSPECTOR, ...headers }, signal: ending.signal })
  const chunks = response.body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let rest = ''
  const waiting = []
  async function next() {
    while (waiting.length === 0) {
      const { value, done } = await chunks.next()
      if (done) return null
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop()
      waiting.push(...blocks.map(eventOf).filter(Boolean))
    }
    return waiting.shift()
  }
  async function until(matches) {
    const seen = []
    for (;;) {
      const event = await next()
      if (event === null)
        throw new Error(`the stream ended before what was waited for: ${JSON.stringify(seen.slice(-5))}`)
      seen.push(event)
      if (matches(event)) return seen
    }
  }
  return { status: response.status, headers: response.headers, next, until, stop: () => ending.abort() }
}

function eventOf(block) {
  const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s)))
  return fields.event ? { id: fields.id, event: fields.event, data: JSON.parse(fields.data) } : null
}
