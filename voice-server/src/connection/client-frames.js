// Parses a client's text frames: checks only their shape; VoiceConnection runs them.
import { parseObject } from '../providers/parse-object.js'

const REQUIRED = { required: true }

/** @typedef {{ max?: number, oneOf?: readonly string[], isNumber?: boolean, members?: Record<string, Bound> | 'any', required?: boolean }} Bound */

/** Which later calls run without a question; the gate knows what the tool allows. @type {Record<string, Bound>} */
const GRANT = {
  scope: { max: 8, ...REQUIRED },
  calls: { isNumber: true, ...REQUIRED },
  ttlMs: { isNumber: true, ...REQUIRED },
}

/**
 * Member → its bounds; a member is a string unless `isNumber` (from 0 on), or an object of `members`.
 * @type {Record<string, Record<string, Bound>>}
 */
const SHAPES = {
  start: { sessionId: { max: 64 }, resumeToken: { max: 128 }, pendingRequest: { max: 500 }, timeZone: { max: 64 } },
  text: { text: { max: 8000, ...REQUIRED }, id: { max: 128 } },
  audioEnd: {},
  confirm: { token: { max: 512, ...REQUIRED }, args: { members: 'any' }, grant: { members: GRANT } },
  deny: { token: { max: 512, ...REQUIRED }, reason: { max: 500 } },
  revoke: { grant: { max: 128, ...REQUIRED } },
  dtmf: { digit: { max: 1, oneOf: [...'0123456789*#'], ...REQUIRED } },
  picture: { kind: { oneOf: ['webcam', 'screen'], ...REQUIRED }, data: { ...REQUIRED } },
  pictureOff: { kind: { oneOf: ['webcam', 'screen'], ...REQUIRED } },
  played: { ms: { isNumber: true, ...REQUIRED } },
  end: {},
}
/** A frame with others is refused: an approval whose changes are misspelt would run what was shown. */
const HAS_NO_OTHERS = ['confirm']
const KNOWN = Object.keys(SHAPES)
  .map(type => `\`${type}\``)
  .join(', ')

/**
 * @param {string} text
 * @returns {{ frame: import('../voice-types.js').ClientFrame, problem?: undefined } | { frame?: undefined, problem: string }} without members
 *   that are `null`
 */
export function parseClientFrame(text) {
  const value = /** @type {import('../voice-types.js').JsonObject | null} */ (parseObject(text))
  if (value === null) return { problem: 'a text frame must be a JSON object' }
  if (!Object.hasOwn(SHAPES, value.type)) return { problem: `unknown type ${quote(value.type)}; known: ${KNOWN}` }
  const { type, ...members } = value
  const problem =
    (HAS_NO_OTHERS.includes(type) ? unknownIn(members, SHAPES[type]) : null) ?? problemIn(members, SHAPES[type])
  return problem ? { problem } : { frame: knownMembers(value) }
}

/** @param {import('../voice-types.js').JsonObject} members @param {Record<string, Bound>} bounds */
function unknownIn(members, bounds) {
  const name = Object.keys(members).find(member => !Object.hasOwn(bounds, member))
  return name === undefined ? null : `unknown member ${quote(name)}; known: \`${Object.keys(bounds).join('`, `')}\``
}

/** @param {import('../voice-types.js').JsonObject} members @param {Record<string, Bound>} bounds @returns {string | null} */
function problemIn(members, bounds) {
  const problems = Object.entries(bounds).map(([name, bound]) => problemOf(members[name], name, bound))
  return problems.find(problem => problem !== null) ?? null
}

/** @param {unknown} value @param {string} name @param {Record<string, Bound> | 'any'} members */
function problemOfObject(value, name, members) {
  // What is null would run as it was shown.
  if (value === undefined) return null
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `\`${name}\` must be an object`
  if (members === 'any') return null
  const problem = unknownIn(value, members) ?? problemIn(value, members)
  return problem && `\`${name}\`: ${problem}`
}

/** @param {unknown} value @param {string} name @param {Bound} bound @returns {string | null} */
function problemOf(value, name, { max, oneOf, isNumber = false, members, required = false }) {
  if (members !== undefined) return problemOfObject(value, name, members)
  if (value === undefined || value === null) return required ? `\`${name}\` is missing` : null
  if (isNumber)
    return typeof value === 'number' && Number.isFinite(value) && value >= 0
      ? null
      : `\`${name}\` must be a number from 0 on`
  if (typeof value !== 'string') return `\`${name}\` must be a string`
  if (required && value.trim() === '') return `\`${name}\` must not be empty`
  if (oneOf !== undefined && !oneOf.includes(value)) return `\`${name}\` must be one of ${oneOf.join(' ')}`
  return value.length > (max ?? Infinity) ? `\`${name}\` must have at most ${max} characters` : null
}

/** @param {import('../voice-types.js').JsonObject} value @returns {import('../voice-types.js').ClientFrame} */
function knownMembers(value) {
  const names = Object.keys(SHAPES[value.type]).filter(name => value[name] !== undefined && value[name] !== null)
  return /** @type {any} checked */ (
    Object.fromEntries([['type', value.type], ...names.map(name => [name, value[name]])])
  )
}

/** @param {unknown} value */
function quote(value) {
  return typeof value === 'string' ? `\`${value.slice(0, 40)}\`` : '(none)'
}
