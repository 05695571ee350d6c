// Every conversation through the real packages of the providers: those that the repository is developed with, and, with a
// Node that runs them, their next majors. `npm run test:all` installs these; without them their tests are skipped, but in CI.
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { CONVERSATIONS } from './conversations.mjs'
import { missing, next, nodeForNext } from './newer-node.mjs'
import { isRecorded } from './shapes.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const TIMEOUT_MS = 300_000

/** Conversation → what was wrong with it, null if nothing was. */
async function converse(node, folder) {
  const run = await promisify(execFile)(node, [path.join(here, 'run.mjs'), folder], {
    timeout: TIMEOUT_MS,
    maxBuffer: 2 ** 26,
  })
  const told = run.stdout
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
  return new Map(told.map(({ name, error }) => [name, error]))
}

const majorOf = (folder, name) => {
  const manifest = path.join(folder, 'node_modules', name, 'package.json')
  return createRequire(import.meta.url)(manifest).version.split('.')[0]
}
const majorsIn = folder => ['openai', '@google/genai', 'ai'].map(name => Number(majorOf(folder, name)))

function describeMajors(title, folder, packages, node, majors) {
  describe(title, () => {
    let outcome
    beforeAll(async () => {
      outcome = await converse(node, folder)
    }, TIMEOUT_MS)

    test('are the majors that this says', () => expect(majorsIn(packages)).toEqual(majors))
    test.each(Object.keys(CONVERSATIONS))('%s', name => expect(outcome.get(name)).toBeNull())
  })
}

if (!isRecorded) console.log('frames are not compared with recorded ones: no corpus was found (TOOLGATE_CORPUS)')

describeMajors('openai 6, @google/genai 2, ai 6', here, path.join(here, '..', '..'), process.execPath, [6, 2, 6])

const why = missing()
if (why === null) {
  describeMajors('openai 7, @google/genai 3, ai 7', next, next, nodeForNext(), [7, 3, 7])
} else {
  const title = `the next majors of the providers' packages: ${why}`
  if (process.env.CI)
    test(`has ${title}`, () => {
      throw new Error(`CI skips no test: ${why} could not be found`)
    })
  else test.skip(title, () => {})
}
