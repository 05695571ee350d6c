'use strict'
// A call without arguments beside one of the same id and name that has some: a broken copy of it, or a call that lost its arguments.
// Run without arguments, a tool may do more than the model asked for, so such a call is not given.
const { notRun } = require('./problems.js')

const EMPTY_TWIN = 'it has no arguments, and another call of the message has its id and name'

/**
 * @typedef {{ id: string | null, name: string | null, args: unknown }} NamedCall
 */

/** Whether a call has no arguments, as text or as an object. @param {unknown} args */
function isEmpty(args) {
  if (typeof args === 'string') return args.length < 64 && /^\s*(\{\s*\}|null)?\s*$/.test(args)
  return args === undefined || args === null || (typeof args === 'object' && Object.keys(args).length === 0)
}

/** Whether a call is an empty twin of another one. @param {NamedCall} call @param {readonly NamedCall[]} others */
const isEmptyTwin = (call, others) =>
  call.id !== null &&
  isEmpty(call.args) &&
  others.some(other => other.id === call.id && other.name === call.name && !isEmpty(other.args))

/**
 * The calls of a message without the empty twins, which are named.
 * @template {NamedCall} Call
 * @param {Call[]} calls
 * @param {string[]} problems
 * @param {readonly NamedCall[]} [all] the calls of the message, if there are others
 */
function withoutEmptyTwins(calls, problems, all = calls) {
  if (all.length < 2) return calls
  const twins = calls.filter(call => isEmptyTwin(call, all))
  if (twins.length === 0) return calls
  problems.push(notRun(twins, EMPTY_TWIN))
  return calls.filter(call => !twins.includes(call))
}

module.exports = { EMPTY_TWIN, isEmpty, isEmptyTwin, withoutEmptyTwins }
