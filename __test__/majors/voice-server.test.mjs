// The voice server's own tests of Gemini Live, with the next major of `@google/genai`.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import { missing, next, nodeForNext } from './newer-node.mjs'

const TIMEOUT_MS = 1_200_000
const cwd = fileURLToPath(new URL('../../voice-server', import.meta.url))
/** What is done through the package: to connect, to read frames, to send, to be lost. */
const FILES = ['provider-socket', 'bad-input', 'keys', 'conversation', 'reconnect']

const why = missing()
if (why !== null) {
  const title = `the voice server with @google/genai 3: ${why}`
  if (process.env.CI)
    test(`has ${title}`, () => {
      throw new Error(`CI skips no test: ${why} could not be found`)
    })
  else test.skip(title, () => {})
} else {
  const run = async (...args) => {
    const hook = pathToFileURL(path.join(next, 'use-genai.mjs')).href
    // Also for the servers that the tests start.
    const env = { ...process.env, NODE_OPTIONS: `--import ${hook}`, NODE_TEST_CONTEXT: undefined }
    const { stdout } = await promisify(execFile)(nodeForNext(), args, {
      cwd,
      env,
      timeout: TIMEOUT_MS,
      maxBuffer: 2 ** 26,
    })
    return stdout
  }

  test('the package is the next major', async () => {
    const found = await run('--input-type=module', '-e', "console.log(import.meta.resolve('@google/genai'))")
    expect(found).toContain('/newer-node/node_modules/@google/genai/')
  })

  test(
    'the voice server talks with Gemini Live',
    async () => {
      const files = FILES.map(name => `test/${name}.test.js`)
      const told = await run('--test', '--test-reporter=tap', '--test-timeout=1200000', ...files)
      expect([Number(/^# fail (\d+)$/m.exec(told)[1]), Number(/^# pass (\d+)$/m.exec(told)[1]) > 50]).toEqual([0, true])
    },
    TIMEOUT_MS,
  )
}
