'use strict'

// The host's search for calls of unknown outcome.

const { checkOptionNames, milliseconds } = require('./option-checks.js')
const { readValue } = require('./session-error.js')

/** The number that stands for the registry among those of attachments. */
const NO_ATTACHMENT = 0
const DEFAULT_OLDER_THAN_MS = 60_000
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

/**
 * @param {{ olderThanMs?: unknown, limit?: unknown }} options
 * @param {{ gate: import('../../native.js').NativeGate, host: import('../handlers/handler-host.js').HandlerHost,
 *   calls: import('./pending-calls.js').PendingCalls, context: import('./attachment-context.js').AttachmentContext,
 *   services: string[] }} registry `context`: what the functions `reconcile` get their services from
 * @returns {Promise<import('../../index.js').ReconcileReport>}
 */
async function reconcileCalls(options, { gate, host, calls, context, services }) {
  checkOptionNames(options, ['olderThanMs', 'limit'], 'reconcile')
  const { olderThanMs = DEFAULT_OLDER_THAN_MS, limit = DEFAULT_LIMIT } = options
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new TypeError(`\`limit\` must be a whole number from 1 to ${MAX_LIMIT}`)
  const age = milliseconds(olderThanMs, 'olderThanMs')
  host.add(NO_ATTACHMENT, context)
  // The pending call holds the context until all have ended.
  return readValue(await calls.run(number => gate.reconcile(number, age, limit, services), context))
}

module.exports = { reconcileCalls }
