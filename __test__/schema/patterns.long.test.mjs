// The patterns of the corpus, compared with this runtime's own RegExp.
import vm from 'node:vm'

import { SchemaValidator } from '../../index.js'
import { corpusPatterns, isPresent, isUnicodePattern, labelled } from '../support/patterns.mjs'
import { seeded } from '../../fuzz/random.cjs'

/** Milliseconds for one match of RegExp, which has no other bound. What takes longer is not compared. */
const REGEXP_TIMEOUT = 100

/** Patterns whose results differ, each with the reason. */
const KNOWN_DIFFERENCES = {}

const FIXED_TEXTS = [
  '',
  'a',
  'aa',
  'abc',
  'A1',
  'test-1',
  '2024-01-31',
  'user@example.com',
  'a\n',
  '\n',
  ' ',
  'é',
  '٣',
  '😀',
  '-1.5e3',
  '\u2028x',
]

/** Texts that are likely to match: made of the pattern's own characters, with and without its escapes. */
function textsFor(pattern, index) {
  const random = seeded(index + 1).below
  const own = [...pattern.replace(/\\[dDwWsSbB]/gu, '').replace(/[\\^$()[\]{}?*+|]/gu, '')].slice(0, 60)
  const alphabet = [...own, 'a', 'Z', '0', '7', '_', '-', ' ']
  const words = Array.from({ length: 6 }, (_, at) =>
    Array.from({ length: 1 + random(at * 4 + 2) }, () => alphabet[random(alphabet.length)]).join(''),
  )
  return [...FIXED_TEXTS, own.join(''), ...words]
}

/** The results of RegExp; `undefined` for each text that took too long. */
function regExpResults(pattern, texts) {
  const context = vm.createContext({ pattern, text: '' })
  const script = new vm.Script("new RegExp(pattern, 'u').test(text)")
  return texts.map(text => {
    context.text = text
    try {
      return script.runInContext(context, { timeout: REGEXP_TIMEOUT })
    } catch (error) {
      if (error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
      throw error
    }
  })
}

/** The validator's result; `undefined` if its steps were exceeded. */
function ownResult(validator, text) {
  const { valid, errors } = validator.validate(text)
  return errors.some(({ message }) => message.includes('could not be checked in bounds')) ? undefined : valid
}

const compiled = pattern => {
  try {
    return new SchemaValidator({ pattern })
  } catch (error) {
    return error
  }
}

const inCorpus = isPresent ? test : test.skip

inCorpus('each pattern that RegExp takes with the flag `u` compiles, and matches as RegExp does', () => {
  const patterns = corpusPatterns().filter(isUnicodePattern)
  expect(patterns.length).toBeGreaterThan(2500)
  const refused = []
  const different = []
  for (const [index, pattern] of patterns.entries()) {
    const validator = compiled(pattern)
    if (validator instanceof Error) {
      refused.push([pattern, validator.message])
      continue
    }
    const texts = textsFor(pattern, index)
    const expected = regExpResults(pattern, texts)
    for (const [at, text] of texts.entries()) {
      const own = ownResult(validator, text)
      if (own !== undefined && expected[at] !== undefined && own !== expected[at]) different.push([pattern, text, own])
    }
  }
  expect(refused).toEqual([])
  expect(different.filter(([pattern]) => !Object.hasOwn(KNOWN_DIFFERENCES, pattern))).toEqual([])
})

inCorpus('no labelled pattern takes more than its steps', () => {
  const attacks = labelled().filter(({ label }) => label !== 'unlabelled' && label !== 'safe')
  const undecided = []
  for (const { pattern } of attacks.filter(({ pattern }) => isUnicodePattern(pattern))) {
    const validator = compiled(pattern)
    const own = [...pattern.replace(/[\\^$()[\]{}?*+|]/gu, '')].slice(0, 4).join('') || 'a'
    for (const pump of ['a', '0', ' ', own]) {
      const { valid, errors } = validator.validate(`${pump.repeat(2000)}\u0000`)
      // Each ends: with a result, or with the issue of a match without one.
      expect(errors.length === 0).toBe(valid)
      if (ownResult(validator, pump.repeat(2000)) === undefined) undecided.push(pattern)
    }
  }
  expect(attacks.length).toBeGreaterThan(20)
  expect(undecided.every(pattern => /\(\?|\\[1-9k]|\{/.test(pattern))).toBe(true)
})
