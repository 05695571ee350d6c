// What a server lists, against the lock: a tool that is not what was accepted is not called.
import { rmSync, writeFileSync } from 'node:fs'

import { eventually } from '../support/gate.mjs'
import { hostile, hostileLock, lockOf, outcome, program, HOSTILE } from './support.mjs'

const gone = reason => ({ type: 'NOT_FOUND', retryable: false, details: { reason } })

test('a change that is announced: the call that was sent has run, and no other does', async () => {
  const { call, source, changes, effects } = await hostile('changes-announced')
  expect(await outcome(call('pay'))).toEqual({ text: 'paid' })
  expect(await outcome(call('pay'))).toMatchObject(gone('definition_changed'))
  expect([effects(), changes]).toEqual([1, [{ pay: 'definition_changed' }]])
  await source.endSession('s')
  expect([...source.unavailable]).toEqual([['pay', 'definition_changed']])
})

test('a change between two starts is seen before the first call, and a list that fits again ends it', async () => {
  const { call, source, changes, effects, mark } = await hostile('changes-silently')
  writeFileSync(mark, '')
  expect(await outcome(call('pay'))).toMatchObject(gone('definition_changed'))
  expect([effects(), source.unavailable.get('pay')]).toEqual([0, 'definition_changed'])
  rmSync(mark)
  await source.endSession('s')
  expect(await outcome(call('pay'))).toEqual({ text: 'paid' })
  expect(changes).toEqual([{ pay: 'definition_changed' }, {}])
})

test('a change that nobody announces is found by the list that comes every few minutes', async () => {
  const { call, changes, effects, mark } = await hostile('changes-while-open', { options: { relistMs: 40 } })
  expect(await outcome(call('pay'))).toEqual({ text: 'paid' })
  writeFileSync(mark, '')
  await eventually(() => changes.length > 0, 'the change')
  expect(await outcome(call('pay'))).toMatchObject(gone('definition_changed'))
  expect(effects()).toBe(1)
})

test('a tool that is gone is not called, and one that the lock does not have is ignored', async () => {
  const missing = await hostile('gone')
  expect(await outcome(missing.call('pay'))).toMatchObject(gone('definition_gone'))
  const more = await hostile('two-tools')
  expect(await outcome(more.call('pay'))).toEqual({ text: 'paid' })
  expect(await outcome(more.call('refund'))).toMatchObject({ type: 'NOT_FOUND' })
  expect([...more.source.unavailable]).toEqual([])
})

test('of two connections each is held to its own list', async () => {
  const { call, source, mark } = await hostile('changes-silently')
  expect(await outcome(call('pay'))).toEqual({ text: 'paid' })
  writeFileSync(mark, '')
  expect(await outcome(call('pay', {}, { sessionId: 'other' }))).toMatchObject(gone('definition_changed'))
  expect(source.unavailable.get('pay')).toBe('definition_changed')
  expect(await outcome(call('pay'))).toEqual({ text: 'paid' })
})

test('a server that announces changes without end: its callers wait as long as they want, and nothing else does', async () => {
  const { call, source } = await hostile('announces-without-end')
  const { text, type } = await outcome(call('pay', {}, { signal: AbortSignal.timeout(300) }))
  expect(text ?? type).toMatch(/paid|TRANSIENT/)
  expect(source.unavailable.size).toBe(0)
})

test.each([
  ['endless-pages', 'LIST_TOO_MANY_PAGES'],
  ['many-bytes', 'LIST_TOO_LARGE'],
  ['many-tools', 'LIST_TOO_MANY_TOOLS'],
  ['repeated-cursor', 'LIST_REPEATED_CURSOR'],
  ['repeated-name', 'LIST_REPEATED_NAME'],
  ['wrong-list', 'LIST_WRONG_SHAPE'],
])('%s: the source is down, and says why', async (behaviour, code) => {
  const { call, source, effects, config } = await hostile(behaviour)
  const told = await outcome(call('pay'))
  expect(told).toMatchObject({ type: 'TRANSIENT', retryable: true, retryAfterMs: 100 })
  expect([told.message, effects(), source.state]).toEqual([
    expect.stringMatching(/^the server `probe` can't be reached: /),
    0,
    'down',
  ])
  await expect(lockOf(config)).rejects.toMatchObject({ code })
})

test('a page that is larger than a message may be closes the connection', async () => {
  const { call } = await hostile('large-pages')
  expect((await outcome(call('pay'))).message).toMatch(/more than 4194304 bytes/)
})

test.each(['never-answers-initialize', 'never-lists'])('%s: given up after `connectMs`', async behaviour => {
  const { call } = await hostile(behaviour, { limits: { connectMs: 600 } })
  expect(await outcome(call('pay'))).toMatchObject({ type: 'TRANSIENT', retryable: true, retryAfterMs: 100 })
})

test('a caller does not wait for a server longer than it wants to', async () => {
  const { call } = await hostile('never-answers-initialize')
  const told = await outcome(call('pay', {}, { signal: AbortSignal.timeout(200) }))
  expect(told).toMatchObject({ type: 'TRANSIENT', retryable: true })
})

test('the lock is of the definition as published', async () => {
  const { tools } = await hostileLock()
  expect(tools.pay.sha256).toMatch(/^[0-9a-f]{64}$/)
  const again = await lockOf(program(HOSTILE, ['two-tools']).config)
  expect(again.tools.pay).toEqual(tools.pay)
  expect(again.tools.refund.sha256).not.toBe(tools.pay.sha256)
})
