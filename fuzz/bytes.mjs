// Random changes to texts and bytes: what a damaged file or a faulty peer delivers.

/** @typedef {import('./random.cjs').Random} Random */

/** Texts that parsers and bounds treat specially. */
const INTERESTING = [
  'null',
  '{}',
  '[]',
  '-1',
  '1e999',
  '9007199254740993',
  '"\\ud800"',
  '\u0000',
  '"__proto__"',
  '[[[[[[[[',
  '"',
]

/** @param {Random} random @param {Buffer} bytes @returns {Buffer} a changed copy, at most twice as long and a little */
export function changedBytes(random, bytes) {
  let changed = Buffer.from(bytes)
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) changed = change(random, changed)
  return changed.subarray(0, bytes.length * 2 + 100)
}

/** @param {Random} random @param {Buffer} bytes */
function change(random, bytes) {
  const [from, to] = [random.below(bytes.length + 1), random.below(bytes.length + 1)].sort((a, b) => a - b)
  const [before, part, after] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)]
  const one = Buffer.from([random.below(256)])
  const piece = Buffer.from(random.pick(INTERESTING))
  return Buffer.concat(
    random.pick([
      [before],
      [before, one, bytes.subarray(from + 1)],
      [before, piece, bytes.subarray(from)],
      [before, after],
      [before, part, part, after],
    ]),
  )
}

/** Values that a member of a JSON text is replaced by. */
const VALUES = [null, true, -1, 0.5, 2 ** 53, '', 'x', [], {}, [null], { a: 1 }]

/** @param {Random} random @param {any} value @returns {any} a copy of the JSON value with one to three other members */
export function changedJson(random, value) {
  const holder = { value: structuredClone(value) }
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) changeMember(random, holder)
  return holder.value
}

/** @param {Random} random @param {any} holder */
function changeMember(random, holder) {
  let [at, name] = [holder, 'value']
  // Goes down from the top, so that all depths are changed about equally often.
  while (random.chance(0.8) && typeof at[name] === 'object' && at[name] !== null && Object.keys(at[name]).length > 0) {
    at = at[name]
    name = random.pick(Object.keys(at))
  }
  const kind = random.below(4)
  if (kind === 0 && Array.isArray(at)) at.splice(Number(name), 1)
  else if (kind === 0 && at !== holder) delete at[name]
  else if (kind === 1 && typeof at[name] === 'string') at[name] = changedBytes(random, Buffer.from(at[name])).toString()
  else if (kind === 2 && Array.isArray(at[name])) at[name].push(...structuredClone(at[name].slice(0, 3)))
  else at[name] = structuredClone(random.pick(VALUES))
}
