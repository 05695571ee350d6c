// A handler's context made by hand: everything the gate would give, and a record of what the handler did with it.
import { createRequire } from 'node:module'

const { ToolError } = createRequire(import.meta.url)('../../../index.js')

/**
 * @param {object} [overrides] members of the context; `messaging`, `audit` record into `sent`, `logged` unless replaced
 */
export function handlerContext(overrides = {}) {
  const sent = []
  const logged = []
  const context = {
    args: {},
    mode: 'text',
    session: { isActive: true, toolsVersion: '1.0.00000000', mode: 'text', state: Object.freeze({}) },
    capabilities: { messaging: true, voice: false, audit: true },
    messaging: { send: message => void sent.push(message) },
    audit: { log: (event, data) => void logged.push({ event, data }) },
    voice: { isActive: () => false },
    services: {},
    meta: { attempt: 1, clamped: [] },
    signal: new AbortController().signal,
    ...overrides,
  }
  return { context, sent, logged }
}

/** What `messaging` is once the client has gone. */
export const closedSocket = {
  send() {
    throw new ToolError('TRANSIENT', 'the connection is closed', { retryable: true })
  },
}
