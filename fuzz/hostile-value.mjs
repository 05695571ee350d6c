// Values whose inspection throws, lies or never ends, described as JSON: a watched child makes them of it.
import vm from 'node:vm'

/** In every text: it must not reach an answer. */
export const SECRET = 'hunter2'

const NAMES = ['type', 'name', 'message', 'code', 'cause', 'stack', 'ok', 'data', 'error', 'details', 'then', 'toJSON']
const SYMBOLS = ['toPrimitive', 'iterator', 'asyncIterator', 'toStringTag']
const TRAPS = Object.getOwnPropertyNames(Reflect).filter(name => typeof Reflect[name] === 'function')
const TYPES = ['PERMANENT', 'TRANSIENT', 'VALIDATION', 'INTERNAL', 'no type']

/** @typedef {{ kind: string, name?: string, inner?: Description, members?: [string, Description][] }} Description */

/** @type {Record<string, (description: any) => unknown>} */
const MAKERS = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  text: () => SECRET,
  type: ({ name }) => name,
  number: () => Number.NaN,
  bigint: () => 10n ** 400n,
  symbol: () => Symbol(SECRET),
  huge: () => SECRET.repeat(2 ** 18),
  'huge list': () => Array.from({ length: 2 ** 18 }, () => SECRET),
  'sparse list': () => Object.assign([], { length: 2 ** 32 - 1 }),
  deep: () => Array.from({ length: 50_000 }).reduce(value => ({ data: value }), /** @type {any} */ (SECRET)),
  cycle: () => {
    const value = /** @type {any} */ ({ ok: true, message: SECRET })
    return Object.assign(value, { data: value, cause: value, error: [value] })
  },
  'foreign error': () => vm.runInNewContext(`new TypeError('${SECRET}')`),
  'foreign object': () => vm.runInNewContext(`({ ok: true, data: { text: '${SECRET}' } })`),
  function: () => () => SECRET,
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable(() => {}, {})
    revoke()
    return proxy
  },
  error: ({ inner }) => new Error(SECRET, { cause: made(inner) }),
  list: ({ inner }) => [made(inner)],
  object: ({ members }) => withMembers({}, members),
  'error with members': ({ members }) => withMembers(new Error(SECRET), members),
  'null prototype': ({ members }) => withMembers(Object.create(null), members),
  'hostile prototype': ({ inner }) => Object.setPrototypeOf({ message: SECRET }, Object(made(inner))),
  getter: ({ name, inner }) =>
    Object.defineProperty({ ok: true }, keyOf(name), { enumerable: true, get: raise(inner) }),
  method: ({ name, inner }) => ({ ok: true, [keyOf(name)]: raise(inner) }),
  trap: ({ name, inner }) => new Proxy(() => {}, { [name]: raise(inner) }),
  traps: ({ inner }) => new Proxy({}, Object.fromEntries(TRAPS.map(trap => [trap, raise(inner)]))),
  'late thenable': ({ inner }) => ({
    then: (/** @type {any} */ _, /** @type {any} */ reject) => setImmediate(() => reject(made(inner))),
  }),
  'double thenable': ({ inner }) => ({
    then(/** @type {any} */ resolve, /** @type {any} */ reject) {
      resolve(made(inner))
      reject(made(inner))
      throw made(inner)
    },
  }),
}
const WITH_INNER = ['error', 'list', 'hostile prototype', 'getter', 'method', 'trap', 'traps']
const WITH_MEMBERS = ['object', 'error with members', 'null prototype']
const LEAVES = ['undefined', 'null', 'true', 'text', 'number', 'bigint', 'symbol', 'huge', 'huge list', 'sparse list']
const LEAF_OBJECTS = ['deep', 'cycle', 'foreign error', 'foreign object', 'function', 'revoked']

/** @param {Description} description */
export function made(description) {
  return MAKERS[description.kind](description)
}

/** @param {Description} inner */
const raise = inner => () => {
  throw made(inner)
}

/** @param {string} name */
const keyOf = name => (SYMBOLS.includes(name) ? /** @type {any} */ (Symbol)[name] : name)

/** @param {object} value @param {[string, Description][]} members */
function withMembers(value, members) {
  for (const [name, member] of members)
    Object.defineProperty(value, name, { value: made(member), enumerable: true, configurable: true, writable: true })
  return value
}

/** @param {import('./random.cjs').Random} random @param {number} [depth] @returns {Description} */
export function randomDescription(random, depth = 3) {
  const kind = random.pick([...LEAVES, ...LEAF_OBJECTS, ...(depth > 0 ? NESTED : []), 'type'])
  const inner = () => randomDescription(random, depth - 1)
  if (kind === 'type') return { kind, name: random.pick(TYPES) }
  if (WITH_MEMBERS.includes(kind)) return { kind, members: random.times(0, 4, () => [random.pick(NAMES), inner()]) }
  if (!NESTED.includes(kind)) return { kind }
  if (kind === 'trap') return { kind, name: random.pick(TRAPS), inner: inner() }
  return { kind, name: random.pick([...NAMES, ...SYMBOLS]), inner: inner() }
}

const NESTED = [...WITH_INNER, ...WITH_MEMBERS, 'late thenable', 'double thenable']
