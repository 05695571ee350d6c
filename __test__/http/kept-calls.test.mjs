// The calls that servers keep for the inspector.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { keepCalls, listenToCalls } from '../../js/http/index.js'
import { openGate } from '../support/gate.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'

const TOOLS = {
  pay: {
    properties: { to: { type: 'string' }, card: { type: 'string', 'x-sensitive': true } },
    execute: async ({ args }) => ({ ok: true, data: args }),
  },
  long: { execute: async () => ({ ok: true, data: { text: 'x'.repeat(20_000) } }) },
}

/** @param {Function} stop */
const during = stop => void afterTest(stop)
const linesOf = file =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

test('each answered call is a line with masked arguments and a bounded answer', async () => {
  const { session } = await openGate(TOOLS)
  const lines = []
  during(listenToCalls(line => lines.push(JSON.parse(line))))
  const text = await session({ sessionId: 'kept', principal: 'ada' })
  await text.execute({ id: 'call_pay', name: 'pay', args: { to: 'Bob', card: '4111-secret' } })
  await text.execute({ id: 'call_long', name: 'long', args: {} })
  expect(lines[0]).toMatchObject({
    ...{
      event: 'call',
      sessionId: 'kept',
      principal: 'ada',
      toolId: 'pay',
      callId: 'call_pay',
      outcome: 'ran',
      turn: 1,
    },
    ...{ args: { to: 'Bob', card: '***' }, answer: { data: { to: 'Bob', card: '***' } } },
  })
  expect(lines[1].answer.characters).toBeGreaterThan(20_000)
  expect(lines[1].answer.cut.length).toBeLessThanOrEqual(8192)
})

test('in a file that only its owner can read, with an end to its size', async () => {
  const file = path.join(temporaryFolder(), 'calls.jsonl')
  const { session } = await openGate(TOOLS)
  during(keepCalls({ TOOLGATE_INSPECTOR_CALLS: file }, fail))
  const text = await session()
  await text.execute({ id: 'call_a', name: 'pay', args: { to: 'a' } })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  writeFileSync(file, 'x'.repeat(8 * 1024 * 1024 + 1))
  await text.execute({ id: 'call_b', name: 'pay', args: { to: 'b' } })
  expect(linesOf(file).map(({ callId }) => callId)).toEqual(['call_b'])
  expect(existsSync(`${file}.old`)).toBe(true)
})

test('nothing is kept without the setting; a file that fails stops no call, and is told once', async () => {
  const folder = temporaryFolder()
  const { session } = await openGate(TOOLS)
  const failures = []
  during(keepCalls({}, fail))
  mkdirSync(path.join(folder, 'taken'))
  during(keepCalls({ TOOLGATE_INSPECTOR_CALLS: path.join(folder, 'taken') }, error => failures.push(error.code)))
  const text = await session()
  for (const id of ['call_1', 'call_2'])
    expect((await text.execute({ id, name: 'pay', args: { to: id } })).ok).toBe(true)
  expect(failures).toEqual(['EISDIR'])
})

function fail(error) {
  throw error
}
