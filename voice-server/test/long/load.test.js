// A small run of scripts/load.mjs: no result is lost if several users ask at once.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const LOAD = fileURLToPath(new URL('../../scripts/load.mjs', import.meta.url))

test('ten users for six seconds: every call runs once, and its result reaches the user', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD, '--sessions', '10', '--seconds', '6', '--json'])
  const result = JSON.parse(stdout)
  // One for each user: how many more there are is the machine's.
  assert.ok(result.asked >= 10, stdout)
  assert.deepEqual([result.lost, result.failures, result.executed], [0, [], result.asked])
  assert.ok(result.eventLoopDelayMs.p99 > 0 && result.memoryMiB.after > 0)
  assert.ok(result.relayMs.count > 0 && result.relayMs.p99 >= 1, stdout)
})

test('what the load cannot do is said', async () => {
  const failing = promisify(execFile)(process.execPath, [LOAD, '--sessions', '100000'])
  await assert.rejects(failing, ({ stderr }) => stderr.includes('--sessions must be a whole number from 1 to 1000'))
})

test('results of background calls whose users come and go are said once and shown once', async () => {
  const file = fileURLToPath(new URL('../../scripts/background-load.mjs', import.meta.url))
  const options = {
    users: 20,
    jobs: 2,
    'least-ms': 200,
    'most-ms': 3000,
    'reconnect-ms': 700,
    waiting: 1,
    surface: 'openai',
  }
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...given, '--json'])
  const { calls, lost, notShown, toldTwice, shownTwice, ranTwice, failures } = JSON.parse(stdout)
  assert.equal(calls, 60)
  assert.deepEqual(
    { lost, notShown, toldTwice, shownTwice, ranTwice, failures },
    {
      lost: 0,
      notShown: 0,
      toldTwice: 0,
      shownTwice: 0,
      ranTwice: 0,
      failures: [],
    },
  )
})
