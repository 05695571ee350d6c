// Why the gate refuses what a library takes: the differences that remain.

const OPEN = /loose|catchall|objectWithRest|StructWithRest|additionalProperties/
const CLOSED = new Set(['additionalProperties', 'unevaluatedProperties'])
const ALTERNATIVES = new Set(['anyOf', 'oneOf'])

const keywordsOf = ({ issues }) => (Array.isArray(issues) ? issues.map(({ keyword }) => keyword) : [])

/** The rows of the table: what differs, why, and whether a difference is of this kind. */
const REASONS = [
  {
    what: 'an argument that an object does not name',
    why: 'An object that does not say that it is open is closed: an invented argument is refused, not dropped.',
    applies: one =>
      keywordsOf(one).some(keyword => CLOSED.has(keyword)) &&
      keywordsOf(one).every(keyword => CLOSED.has(keyword) || ALTERNATIVES.has(keyword)) &&
      !OPEN.test(one.source),
  },
  {
    what: 'a coercion, `catch` or `fallback` of another type',
    why: 'The model gets one type, and the gate takes that type.',
    applies: ({ source }) => /coerce\.|\.catch\(|fallback\(/.test(source),
  },
  {
    what: 'a whole number beyond ±(2^53 − 1)',
    why: 'It is not exact in JavaScript, and refused before any schema; send it as text.',
    applies: ({ issues }) => JSON.stringify(issues).includes('not exact as a double'),
  },
  {
    what: 'a pattern without the flag `u` that counts half of a character, such as `/^..$/` for one emoji',
    why: 'Patterns of JSON Schema read whole characters.',
    applies: one => keywordsOf(one).includes('pattern') && /[\u{10000}-\u{10ffff}]/u.test(JSON.stringify(one.value)),
  },
  {
    what: '`multipleOf` at the limits of numbers, such as 5e-324',
    why: 'The gate divides exactly, libraries with rounding.',
    applies: one => keywordsOf(one).includes('multipleOf'),
  },
]

/** @returns the reason of a difference; undefined if there is none */
const reasonOf = difference => (difference.isTaken ? REASONS.find(({ applies }) => applies(difference)) : undefined)

/** Differences without a reason, for a message. */
export const unexplained = differences =>
  differences
    .filter(one => reasonOf(one) === undefined)
    .map(({ library, source, value, isTaken, issues }) => ({
      library,
      source,
      value,
      isTaken,
      keywords: keywordsOf({ issues }),
    }))

/** The table of docs/schema-libraries.md. */
export function differenceTable(differences) {
  const rows = REASONS.map(reason => {
    const count = differences.filter(one => reasonOf(one) === reason).length
    return `| ${reason.what} | ${count} | ${reason.why} |`
  })
  return ['| the gate refuses | values | why |', '|---|---|---|', ...rows].join('\n')
}
