// A session for the host's agent: its calls run as any of the conversation, seen by the user, who is asked their questions. What
// belongs to the conversation, the agent has not: it can't answer a question, take a result, or leave the session.

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolCall} ToolCall
 * @typedef {import('toolgate').CallerOptions} CallerOptions
 */

/** Of the conversation: these would answer, take or end behind its back. */
const WITHHELD = new Set(['approve', 'confirm', 'decline', 'deny', 'detach', 'end', 'results'])

/**
 * @param {Session} session
 * @param {(calls: ToolCall[], options?: CallerOptions) => Promise<import('toolgate').ToolResponse[]>} executeAll
 * @returns {Session}
 */
export function watchedSession(session, executeAll) {
  /** @type {Record<PropertyKey, unknown>} */
  const own = {
    // A question is put by the call that needs it, so that the server hears of it.
    ask: async () => null,
    executeAll,
    execute: async (/** @type {ToolCall} */ call, /** @type {CallerOptions} */ options) =>
      (await executeAll([call], options))[0],
  }
  return new Proxy(session, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name]
      if (WITHHELD.has(String(name))) return () => withheld(String(name))
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** @param {string} name @throws TypeError */
function withheld(name) {
  throw new TypeError(`the session of a delegate has no \`${name}\`: that is for the conversation and its user`)
}
