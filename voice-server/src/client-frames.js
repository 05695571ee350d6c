// What a client may send as text: JSON objects of the types below. Their shapes only; what they do is the connection's.

const REQUIRED = { required: true }

/** Member → its bound; every member is a string. */
const SHAPES = {
  start: { sessionId: { max: 64 }, resumeToken: { max: 128 }, pendingRequest: { max: 500 } },
  text: { text: { max: 8000, ...REQUIRED }, id: { max: 128 } },
  audioEnd: {},
  confirm: { token: { max: 512, ...REQUIRED } },
  deny: { token: { max: 512, ...REQUIRED }, reason: { max: 500 } },
  end: {},
}
const KNOWN = Object.keys(SHAPES).map((type) => `\`${type}\``).join(', ')

/**
 * @param {string} text
 * @returns {{ frame: { type: string } & Record<string, string> } | { problem: string }} members that are `null` are left out
 */
export function parseClientFrame(text) {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'a text frame must be a JSON object' }
  if (!Object.hasOwn(SHAPES, value.type)) return { problem: `unknown type ${quote(value.type)}, known are ${KNOWN}` }
  const problem = Object.entries(SHAPES[value.type]).map(([name, bound]) => problemOf(value[name], name, bound)).find(Boolean)
  return problem ? { problem } : { frame: knownMembers(value) }
}

function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function problemOf(value, name, { max, required = false }) {
  if (value === undefined || value === null) return required ? `\`${name}\` is missing` : null
  if (typeof value !== 'string') return `\`${name}\` must be a string`
  if (required && value.trim() === '') return `\`${name}\` must not be empty`
  return value.length > max ? `\`${name}\` must have at most ${max} characters` : null
}

function knownMembers(value) {
  const names = Object.keys(SHAPES[value.type]).filter((name) => typeof value[name] === 'string')
  return Object.fromEntries([['type', value.type], ...names.map((name) => [name, value[name]])])
}

function quote(value) {
  return typeof value === 'string' ? `\`${value.slice(0, 40)}\`` : '(none)'
}
