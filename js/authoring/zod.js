'use strict'

// What is particular to Zod 4: the way to its converter where a schema carries none (zod/mini), what its JSON Schema leaves
// out in silence, and patterns that belong to its formats.

const { AuthoringFailure, pointer } = require('./failure.js')

const isZod = schema => schema._zod?.def !== undefined
const isOldZod = schema => schema['~standard'].vendor === 'zod' && !isZod(schema)

/**
 * @param {object} schema
 * @param {{ at: string, target: string, from: (name: string) => Promise<object> }} options `from` imports what the author's
 *   module would
 * @returns {Promise<{ json: object, lost: import('./failure.js').FailureDetails[] }>}
 */
async function convert(schema, { at, target, from }) {
  const core = await from('zod/v4/core').catch(() => null)
  const lost = []
  const override = node => {
    lost.push(...lostAt(node.zodSchema, at + pointer(node.path)))
    leaveOutOwnPattern(node, core?.regexes)
  }
  const { jsonSchema } = schema['~standard']
  const give =
    typeof jsonSchema?.input === 'function'
      ? (one, libraryOptions) => jsonSchemaOf(one).input({ target, libraryOptions })
      : (one, options) => core.toJSONSchema(one, { target, io: 'input', ...options })
  if (typeof jsonSchema?.input !== 'function' && typeof core?.toJSONSchema !== 'function') {
    throw new AuthoringFailure({
      kind: 'conversion',
      pointer: at,
      message: "Zod's converter is not there",
      help: 'install `zod` 4 beside the tools',
    })
  }
  try {
    return { json: JSON.parse(JSON.stringify(give(schema, { override }))), lost: unique(lost) }
  } catch (cause) {
    const culprit = at + culpritOf(schema, one => give(one, {}))
    throw new AuthoringFailure({
      kind: 'conversion',
      pointer: culprit,
      message: `there is no JSON Schema for it: ${cause?.message ?? cause}`,
      help: 'take a type that JSON has, such as `z.iso.datetime()` for a date, and make the rest of it in the handler',
    })
  }
}

const jsonSchemaOf = schema => schema['~standard'].jsonSchema

/** The innermost member that can't be converted by itself: Zod's message does not say where it stands. */
function culpritOf(schema, give, names = []) {
  for (const [below, member] of membersOf(schema._zod.def)) {
    try {
      give(member)
    } catch {
      return culpritOf(member, give, [...names, ...below])
    }
  }
  return pointer(names)
}

function membersOf(def) {
  if (def.type === 'object') return Object.entries(def.shape).map(([name, member]) => [['properties', name], member])
  if (def.type === 'array') return [[['items'], def.element]]
  if (def.innerType !== undefined) return [[[], def.innerType]]
  return []
}

/** What runs in Zod's own parse and nowhere else: the gate checks by the JSON Schema and hands on what the model sent. */
function* lostAt({ _zod: { def } }, at) {
  if (def.type === 'pipe' && [def.in, def.out].some(side => side._zod.def.type === 'transform'))
    yield told(at, 'a transform', 'changes nothing')
  if (def.type === 'catch') yield told(at, '`catch`', 'replaces nothing')
  for (const {
    _zod: { def: check },
  } of def.checks ?? []) {
    if (check.check === 'custom') yield told(at, 'a refinement', 'checks nothing')
    if (check.check === 'overwrite') yield told(at, 'an overwrite such as `trim`', 'changes nothing')
    if (check.format === 'regex' && /[ims]/.test(check.pattern.flags))
      yield told(at, `the flags \`${check.pattern.flags}\` of a pattern`, 'are not there')
  }
}

const told = (at, what, fate) => ({
  kind: 'lost',
  pointer: at,
  message: `${what} is not part of the JSON Schema and ${fate} here`,
  help: 'say it with what JSON Schema has, or do it in the handler',
})

/** A schema that is used twice is reported at its first place only. */
const unique = lost => [...new Map(lost.map(one => [`${one.pointer} ${one.message}`, one])).values()]

/** Formats that the gate asserts by itself, with the patterns that Zod adds to them. */
const OWN_PATTERNS = { email: 'email', duration: 'duration', hostname: 'hostname' }

/**
 * Some of Zod's own patterns look around, which the gate's patterns, linear in time, can't. They say what the format says,
 * so the format stays alone. A format that only Zod knows goes instead where a pattern says the same.
 */
function leaveOutOwnPattern({ jsonSchema }, regexes) {
  const { format, pattern } = jsonSchema
  if (format === undefined || pattern === undefined) return
  const own = Object.hasOwn(OWN_PATTERNS, format) ? regexes?.[OWN_PATTERNS[format]]?.source : undefined
  if (pattern === own && pattern.includes('(?') && /\(\?<?[=!]/.test(pattern)) delete jsonSchema.pattern
  if (!STANDARD_FORMATS.has(format)) delete jsonSchema.format
}

/** JSON Schema Validation, draft 2020-12, section 7.3. */
const STANDARD_FORMATS = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'idn-email',
  'hostname',
  'idn-hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'iri',
  'iri-reference',
  'uuid',
  'uri-template',
  'json-pointer',
  'relative-json-pointer',
  'regex',
])

module.exports = { convert, isOldZod, isZod }
