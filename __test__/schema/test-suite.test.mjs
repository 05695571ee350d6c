// JSON-Schema-Test-Suite, each draft that is there, through SchemaValidator. The suite is read where it stands; it is no part of the
// project.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { SchemaValidator } from '../../index.js'

const CORPUS = process.env.TOOLGATE_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))
const SUITE = path.join(CORPUS, 'json-schema-test-suite')
const isPresent = existsSync(SUITE)
if (!isPresent) console.log(`JSON-Schema-Test-Suite not found at \`${SUITE}\` (TOOLGATE_CORPUS); its tests are skipped`)

/** Where the suite's remote schemas are served, for whoever fetches. */
const REMOTES = 'http://localhost:1234/'

/** Tests that ask for more than JavaScript's numbers hold, or for what no validator here does; each with its reason. */
const KNOWN_WRONG = {}

/** JSON files below a folder, by their path from it. */
function files(folder) {
  const names = readdirSync(folder, { recursive: true }).map(name => name.split(path.sep).join('/'))
  return names.filter(name => name.endsWith('.json')).sort()
}

const readJson = (...parts) => JSON.parse(readFileSync(path.join(...parts), 'utf8'))

/** Runs files. A group whose schema is refused counts as wrong in each of its tests. */
function run(folder, isWanted, formats, dialect) {
  const remotes = Object.fromEntries(
    files(path.join(SUITE, 'remotes')).map(name => [REMOTES + name, readJson(SUITE, 'remotes', name)]),
  )
  const wrong = []
  let right = 0
  for (const name of files(folder).filter(isWanted)) {
    for (const { schema, description, tests } of readJson(folder, name)) {
      const judge = judgeOf(declared(schema, dialect), { formats, remotes })
      for (const test of tests) {
        if (judge(test.data) === test.valid) right += 1
        else wrong.push(`${name}: ${description}: ${test.description}`)
      }
    }
  }
  return { right, wrong, total: right + wrong.length }
}

/** The schema with its dialect, if it declares none. Boolean schemas mean the same in each draft that has them. */
const declared = (schema, $schema) => (typeof schema === 'object' && $schema ? { $schema, ...schema } : schema)

function judgeOf(schema, options) {
  try {
    const validator = new SchemaValidator(schema, options)
    return data => {
      const { valid, errors } = validator.validate(data)
      expect(errors.length === 0).toBe(valid)
      expect(errors.every(({ path, message }) => typeof path === 'string' && message !== '')).toBe(true)
      return valid
    }
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return () => undefined
  }
}

const figures = []
afterAll(() => figures.forEach(line => console.log(line)))

const inSuite = isPresent ? test : test.skip
inSuite.each([
  ['required', '', name => !name.startsWith('optional/'), 'declared', 1299],
  ['optional/format', 'optional/format', () => true, 'all', 764],
  ['optional', 'optional', name => !name.startsWith('format/'), 'declared', 162],
])('%s', (what, folder, isWanted, formats, total) => {
  const score = run(path.join(SUITE, 'draft2020-12', folder), isWanted, formats)
  figures.push(`JSON-Schema-Test-Suite, draft 2020-12, ${what}: ${score.right}/${score.total}`)
  expect(score.wrong).toEqual(KNOWN_WRONG[what] ?? [])
  expect(score.total).toBe(total)
})

/** The older drafts, with the `$schema` that their tests leave out, and the least number of tests of each. */
const OLDER_DRAFTS = [
  ['draft4', 'http://json-schema.org/draft-04/schema#', 600],
  ['draft6', 'http://json-schema.org/draft-06/schema#', 800],
  ['draft7', 'http://json-schema.org/draft-07/schema#', 900],
  ['draft2019-09', 'https://json-schema.org/draft/2019-09/schema', 1200],
]

/** Tests of older drafts that come out otherwise, by draft and file, each with its reason. */
const KNOWN_WRONG_OLDER = {
  'draft4: optional/zeroTerminatedFloats.json: some languages do not distinguish between different types of numeric value: a float is not an integer even without fractional part':
    'JavaScript has one type of numbers: `1.0` arrives as 1',
}

describe.each(OLDER_DRAFTS)('%s', (draft, dialect, least) => {
  const folder = path.join(SUITE, draft)
  const inDraft = existsSync(folder) ? test : test.skip
  inDraft('required and optional', () => {
    const score = run(folder, name => !name.startsWith('optional/format'), 'declared', dialect)
    figures.push(`JSON-Schema-Test-Suite, ${draft}: ${score.right}/${score.total}`)
    expect(score.wrong.filter(name => !Object.hasOwn(KNOWN_WRONG_OLDER, `${draft}: ${name}`))).toEqual([])
    expect(score.total).toBeGreaterThan(least)
  })
})
