// A session for the host's agent: its calls run as any of the conversation, seen by the user, who is asked their questions.

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolCall} ToolCall
 * @typedef {import('toolgate').CallerOptions} CallerOptions
 */

/**
 * @param {Session} session
 * @param {(calls: ToolCall[], options?: CallerOptions) => Promise<import('toolgate').ToolResponse[]>} executeAll
 * @returns {Session}
 */
export function watchedSession(session, executeAll) {
  /** @type {Record<PropertyKey, unknown>} */
  const own = {
    executeAll,
    execute: async (/** @type {ToolCall} */ call, /** @type {CallerOptions} */ options) =>
      (await executeAll([call], options))[0],
  }
  return new Proxy(session, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name]
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
