// Parses a client's text frames: checks only their shape; VoiceConnection runs them.

const REQUIRED = { required: true }

/** @typedef {{ max?: number, oneOf?: string, isNumber?: boolean, required?: boolean }} Bound */

/**
 * Member → its bounds; a member is a string unless `isNumber` (from 0 on).
 * @type {Record<string, Record<string, Bound>>}
 */
const SHAPES = {
  start: { sessionId: { max: 64 }, resumeToken: { max: 128 }, pendingRequest: { max: 500 }, timeZone: { max: 64 } },
  text: { text: { max: 8000, ...REQUIRED }, id: { max: 128 } },
  audioEnd: {},
  confirm: { token: { max: 512, ...REQUIRED } },
  deny: { token: { max: 512, ...REQUIRED }, reason: { max: 500 } },
  dtmf: { digit: { max: 1, oneOf: '0123456789*#', ...REQUIRED } },
  played: { ms: { isNumber: true, ...REQUIRED } },
  end: {},
}
const KNOWN = Object.keys(SHAPES)
  .map(type => `\`${type}\``)
  .join(', ')

/**
 * @param {string} text
 * @returns {{ frame: import('./voice-types.js').ClientFrame, problem?: undefined } | { frame?: undefined, problem: string }} without members
 *   that are `null`
 */
export function parseClientFrame(text) {
  const value = /** @type {import('./voice-types.js').JsonObject | null | undefined} */ (parseJson(text))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'a text frame must be a JSON object' }
  if (!Object.hasOwn(SHAPES, value.type)) return { problem: `unknown type ${quote(value.type)}; known: ${KNOWN}` }
  const problem = Object.entries(SHAPES[value.type])
    .map(([name, bound]) => problemOf(value[name], name, bound))
    .find(found => found !== null)
  return problem ? { problem } : { frame: knownMembers(value) }
}

/** @param {string} text @returns {unknown} */
function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @param {unknown} value @param {string} name @param {Bound} bound */
function problemOf(value, name, { max, oneOf, isNumber = false, required = false }) {
  if (value === undefined || value === null) return required ? `\`${name}\` is missing` : null
  if (isNumber)
    return typeof value === 'number' && Number.isFinite(value) && value >= 0
      ? null
      : `\`${name}\` must be a number from 0 on`
  if (typeof value !== 'string') return `\`${name}\` must be a string`
  if (required && value.trim() === '') return `\`${name}\` must not be empty`
  if (oneOf !== undefined && !(value.length === 1 && oneOf.includes(value)))
    return `\`${name}\` must be one of ${oneOf}`
  return value.length > (max ?? Infinity) ? `\`${name}\` must have at most ${max} characters` : null
}

/** @param {import('./voice-types.js').JsonObject} value @returns {import('./voice-types.js').ClientFrame} */
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
