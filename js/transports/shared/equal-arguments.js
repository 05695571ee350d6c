'use strict'
// What distinguishes calls of a tool: their arguments, however their JSON is written. An SDK writes the arguments of a message that
// it has put together from a stream in its own way. Arguments that differ in blanks only, or in the middle of long ones, are taken
// for equal, and then the gate refuses the second call.

/** Arguments up to this length are compared whole; an object's, as far as its outline is as long as the ends. */
const WHOLE_LENGTH = 4096
/** Of longer ones, this much of each end is compared, without the blanks of this much. */
const [END_LENGTH, WRITTEN_END_LENGTH] = [512, 2048]
const COMPARED_LENGTH = 2 * END_LENGTH

/**
 * What is kept of a call's arguments to compare them: a short text as it is, of anything else an outline that keeps nothing of it.
 * @param {unknown} args
 */
function comparable(args) {
  if (typeof args !== 'string') return outlineOf(args)
  return args.length > WHOLE_LENGTH ? endsOf(args) : args
}

/**
 * @typedef {{ args: string, compact: string | null }} ComparableCall `args`: what `comparable` makes of the arguments; `compact`:
 *   the same for each way of writing them, once it was needed: most calls are never compared
 */

/** Whether two calls have the same arguments. @param {ComparableCall} call @param {ComparableCall} other */
const haveEqualArgs = (call, other) => call.args === other.args || compactOf(call) === compactOf(other)

/** @param {ComparableCall} call */
const compactOf = call => (call.compact ??= compactText(call.args))

/** A JSON text without what may be written in another way. @param {string} text */
function compactText(text) {
  try {
    return withoutBlanks(JSON.stringify(JSON.parse(text)))
  } catch {
    return withoutBlanks(text) || '{}'
  }
}

/** @param {string} text */
const withoutBlanks = text => text.replace(/\s+/g, '')

/** The ends of a long text: a copy, which does not keep the text. @param {string} text */
const endsOf = text =>
  JSON.stringify([
    withoutBlanks(text.slice(0, WRITTEN_END_LENGTH)).slice(0, END_LENGTH),
    withoutBlanks(text.slice(-WRITTEN_END_LENGTH)).slice(-END_LENGTH),
  ])

/** The names and values of an object in its order, as far as they are compared. @param {unknown} args */
function outlineOf(args) {
  let outline = ''
  const left = [args]
  while (left.length > 0 && outline.length < COMPARED_LENGTH) {
    const value = left.pop()
    if (typeof value === 'object' && value !== null) {
      const members = /** @type {Record<string, unknown>} */ (value)
      // In a list of the most that can be compared: a hostile object has more.
      const names = Object.keys(members).slice(0, COMPARED_LENGTH)
      for (const name of names.reverse()) left.push(members[name], name)
      outline += `${names.length};`
    } else {
      const text = String(value).slice(0, COMPARED_LENGTH)
      outline += `${typeof value} ${text.length}:${text}`
    }
  }
  return outline
}

module.exports = { comparable, haveEqualArgs }
