// What is a pattern: patterns of the corpus and made ones, compared with this runtime's own RegExp.
import { SchemaValidator, compileTool } from '../../index.js'
import { corpusPatterns, isPresent, isUnicodePattern } from '../support/patterns.mjs'
import { seeded } from '../../fuzz/random.cjs'

/** Parts of patterns of JavaScript, and of other languages. */
const PARTS =
  String.raw`a Z 0 - _ . ^ $ | ( ) (?: (?= (?! (?<= (?<! (?<n> (?<m> (?P<n> (?P=n) (?i) (?-i: (?> (?#c) (?R) (?'q' (?
  [ ] [^ [] [^] { } {2} {2,} {2,3} {3,2} {,3} {2}? * + ? *? ++ ?+ ?? \ \d \D \w \s \b \B \1 \2 \0 \01 \9 \k<n> \k \c \cA \c1
  \x \x41 \x{41} \u \u0041 \u{41} \u{110000} \u{} \ud83d\ude00 \ud83d \p \p{L} \P{Lu} \pL \p{Zl} \p{Zp} \p{Cs} \p{Foo} \p{Greek}
  \p{Script=Greek} \p{sc=Grek} \p{scx=Latn} \p{gc=L} \p{Any} \p{ASCII} \p{Emoji} \p{L \A \z \Z \- \/ \e \a \_ \" \' \h \Q \E \v
  [[:alpha:]] [[:^digit:]] [a-z] [z-a] [\w-z] [a-\d] [\d-] [-a] [a-] [\b] [\B] [\-] [.\]] [&&] [a&&b] [a--b] [\c] [\cA] [\1] [\0]
  [\u{1f600}-\u{1f64f}] [😀-😂] 😀 é / < > = ! , 1 {1 \{ \} (?<1> (?<a-b> (?<é> (?<$> (?<\u0061> [\q{a}] \p{RGI_Emoji} \8 \00`
    .split(/\s+/)
    .concat(' ', '\\ ', '\n', '\u2028')

function madePatterns(count) {
  const random = seeded(11).below
  const make = () => Array.from({ length: 1 + random(6) }, () => PARTS[random(PARTS.length)]).join('')
  const isOpen = pattern => (pattern.match(/\((?!\?#)/g) ?? []).length - (pattern.match(/\)/g) ?? []).length
  return Array.from({ length: count }, () => {
    const pattern = make()
    return random(3) === 0 ? pattern + ')'.repeat(Math.max(0, isOpen(pattern))) : pattern
  })
}

/** Whether a pattern has what ECMAScript has since 2025, and what engines before refuse: flags of groups, one name twice. */
function isOf2025(pattern) {
  const names = [...pattern.matchAll(/\(\?<([^=!>][^>]*)>/g)].map(([, name]) => name)
  return /\(\?[ims]*-?[ims]*:/.test(pattern.replaceAll('(?:', '')) || new Set(names).size < names.length
}

/** The patterns of a list that `compileTool` finds fault with, and the schemas that it made of all of them. */
function importAll(patterns) {
  const faulty = new Set()
  const schemas = []
  for (let start = 0; start < patterns.length; start += 500) {
    const properties = Object.fromEntries(
      patterns.slice(start, start + 500).map((pattern, at) => [`p${start + at}`, { type: 'string', pattern }]),
    )
    const compiled = compileTool({ name: 'find', description: 'Finds.', parameters: { type: 'object', properties } })
    expect(compiled.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    schemas.push(...Object.entries(compiled.jsonSchema.properties))
    for (const { code, pointer } of compiled.diagnostics) {
      if (code === 'bad-regex') faulty.add(patterns[pointer.split('/')[3].slice(1)])
    }
  }
  return { faulty, schemas }
}

const compiles = pattern => {
  try {
    return Boolean(new SchemaValidator({ pattern }))
  } catch {
    return false
  }
}

const wrongSides = (patterns, isTaken) =>
  patterns.filter(pattern => {
    const isExpected = isUnicodePattern(pattern)
    return isTaken(pattern) !== isExpected && !(isExpected && isOf2025(pattern))
  })

/** Whether a pattern is a regular expression literal as a text, which no value fits: that is a fault, too. */
const isLiteral = pattern => /^\/(\^.*|.*\$)\/[dgimsuvy]*$/s.test(pattern)

const patterns = [...new Set([...(isPresent ? corpusPatterns() : []), ...madePatterns(40_000)])]
const imported = importAll(patterns)

test('patterns are those of RegExp with the flag `u`, and no others', () => {
  expect(patterns.filter(isUnicodePattern).length).toBeGreaterThan(isPresent ? 5000 : 3000)
  const written = patterns.filter(pattern => !isLiteral(pattern))
  expect(wrongSides(written, pattern => !imported.faulty.has(pattern))).toEqual([])
  expect(wrongSides(patterns.slice(0, 10_000), compiles)).toEqual([])
})

test('what a schema keeps of a pattern of another language is a pattern of RegExp', () => {
  const kept = imported.schemas.filter(([, schema]) => schema.pattern !== undefined).map(([, { pattern }]) => pattern)
  expect(kept.filter(pattern => !isUnicodePattern(pattern))).toEqual([])
  const translated = kept.length - patterns.filter(pattern => !imported.faulty.has(pattern)).length
  expect(translated).toBeGreaterThan(isPresent ? 5000 : 3000)
})
