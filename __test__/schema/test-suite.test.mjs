// JSON-Schema-Test-Suite, draft 2020-12, through SchemaValidator. The suite is read where it stands; it is no part of the
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
function run(folder, isWanted, formats) {
  const remotes = Object.fromEntries(
    files(path.join(SUITE, 'remotes')).map(name => [REMOTES + name, readJson(SUITE, 'remotes', name)]),
  )
  const wrong = []
  let right = 0
  for (const name of files(folder).filter(isWanted)) {
    for (const { schema, description, tests } of readJson(folder, name)) {
      const judge = judgeOf(schema, { formats, remotes })
      for (const test of tests) {
        if (judge(test.data) === test.valid) right += 1
        else wrong.push(`${name}: ${description}: ${test.description}`)
      }
    }
  }
  return { right, wrong, total: right + wrong.length }
}

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
