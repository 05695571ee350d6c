'use strict'
// What the helpers of SDKs add to the messages that they put together (`chat.completions.parse`, `responses.stream`, `messages.parse`). The
// services refuse it in the next request. What servers add, such as a signature, is repeated.

/** A member that an SDK added. */
const ADDED = new Set(['parsed', 'parsed_arguments', 'parsed_output'])

/** An object without what an SDK added to it; the same object if there is nothing. @param {Record<string, unknown>} members */
function withoutAdded(members) {
  if (!Object.keys(members).some(name => ADDED.has(name))) return members
  return Object.fromEntries(Object.entries(members).filter(([name]) => !ADDED.has(name)))
}

/** The same for the object's parts, such as the texts of a message. @param {Record<string, unknown>} members */
function repeatedMembers(members) {
  const own = withoutAdded(members)
  if (!Array.isArray(own.content)) return own
  const content = own.content.map(part => (typeof part === 'object' && part !== null ? withoutAdded(part) : part))
  return { ...own, content }
}

module.exports = { ADDED, repeatedMembers, withoutAdded }
