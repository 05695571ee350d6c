// A payment whose confirmation is answered by a link.
import { createConfirmationRoute } from '../../js/web/index.js'
import { openGate } from './gate.mjs'

export const BASE = 'https://app.example/confirm?lang=en'
export const WEB = new URL('../../js/web/index.js', import.meta.url).href
export const SECRET = 'pin-4711'
export const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: false,
  properties: { to: { type: 'string' }, pin: { type: 'string', 'x-sensitive': true } },
  required: ['to'],
}

let made = 0
export const pay = to => ({ id: `call_pay_${String(++made).padStart(6, '0')}`, name: 'pay', args: { to, pin: SECRET } })

/** A gate, its route, and what a browser or a messenger sends to it. */
export async function paying(fields = {}, { registry: registryOptions = {}, route: routeOptions = {} } = {}) {
  const runs = []
  const events = []
  const execute = ({ args }) => {
    runs.push(args.to)
    return { ok: true, data: { paid: args.to } }
  }
  const options = { onConfirmation: event => events.push(event), ...registryOptions }
  const gate = await openGate({ pay: { ...PAY, execute, ...fields } }, options)
  const asks = async (to, session) => {
    await session.execute(pay(to))
    const event = events.findLast(({ type }) => type === 'requested')
    return {
      event,
      link: await gate.registry.confirmationLink(event.id, { sessionId: event.sessionId, baseUrl: BASE }),
    }
  }
  return { ...gate, runs, events, asks, ...sending(gate.registry, routeOptions) }
}

/** What is sent to the route of a registry. */
export function sending(registry, options) {
  const route = createConfirmationRoute(registry, options)
  const send = async (url, init) => {
    const response = await route(new Request(url, { duplex: 'half', ...init }))
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    }
  }
  const json = body => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const form = fields => ({ method: 'POST', body: new URLSearchParams(fields) })
  return { send, json, decide: (url, decision, more) => send(url, json({ decision, ...more })), form }
}

export const stateOf = ({ status, body }) => [status, body.state, body.error?.type]
