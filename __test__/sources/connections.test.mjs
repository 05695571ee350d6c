// Which calls share a connection, how long it lives, and what is left of its program.
import { writeFileSync } from 'node:fs'

import { eventually } from '../support/gate.mjs'
import { TOOLS_SERVER, hostile, isAlive, lockOf, outcome, program, sourceOf } from './support.mjs'

async function opened(fields, options) {
  const followed = program(TOOLS_SERVER, [], fields)
  const locked = await lockOf(followed.config)
  const probe = sourceOf(followed.config, locked, options)
  const count = async given => (await probe.call('count', {}, given)).content[0].text
  return { ...followed, ...probe, count, started: () => followed.pids().length - 1 }
}

test('each session has its own connection, and what the server remembers ends with it', async () => {
  const { count, source, started, pids } = await opened()
  const seen = [await count({ sessionId: 'a' }), await count({ sessionId: 'a' }), await count({ sessionId: 'b' })]
  expect([seen, started()]).toEqual([['1', '2', '1'], 2])
  await source.endSession('a')
  await eventually(() => !isAlive(pids()[1]), 'the end of the program')
  expect([isAlive(pids()[2]), await count({ sessionId: 'b' })]).toEqual([true, '2'])
  expect(await count({ sessionId: 'a' })).toBe('1')
})

test('a shared source has one connection, which the end of a session does not close', async () => {
  const { count, source, started } = await opened({ shared: true })
  expect([await count({ sessionId: 'a' }), await count({ sessionId: 'b' })]).toEqual(['1', '2'])
  await source.endSession('a')
  expect([await count({ sessionId: 'a' }), started()]).toEqual(['3', 1])
})

test('the end of a session waits for the calls that it has in flight', async () => {
  const { call, source, pids } = await opened()
  await call('count')
  const resting = outcome(call('pause', { ms: 300 }))
  await new Promise(resolve => setTimeout(resolve, 20))
  await source.endSession('s')
  expect(await resting).toEqual({ text: 'rested' })
  await eventually(() => !isAlive(pids()[1]), 'the end of the program')
})

test('at most `connections`: the least recently used idle one is closed, and a call gets TRANSIENT if all are busy', async () => {
  const { call, count } = await opened({ limits: { connections: 2 } })
  await count({ sessionId: 'a' })
  await count({ sessionId: 'b' })
  await count({ sessionId: 'a' })
  expect(await count({ sessionId: 'c' })).toBe('1')
  expect(await count({ sessionId: 'a' })).toBe('3')
  const busy = [call('pause', { ms: 400 }, { sessionId: 'a' }), call('pause', { ms: 400 }, { sessionId: 'c' })]
  expect(await outcome(call('count', {}, { sessionId: 'd' }))).toMatchObject({
    type: 'TRANSIENT',
    retryable: true,
    retryAfterMs: 1000,
  })
  await Promise.all(busy)
  expect(await count({ sessionId: 'd' })).toBe('1')
})

test('a connection that nobody uses is closed after `idleMs`', async () => {
  const { count, source, pids } = await opened({ limits: { idleMs: 1000 } })
  await count()
  await eventually(() => source.state === 'idle' && !isAlive(pids()[1]), 'the end of the program')
  expect(await count()).toBe('1')
})

test('at most `calls` are in flight: others wait in order, and leave the line when they are cancelled', async () => {
  const { call } = await opened({ limits: { calls: 1 } })
  const ended = []
  const noted = (name, options) =>
    outcome(call('pause', { ms: 60 }, options)).then(({ type }) => ended.push([name, type]))
  const cancelled = new AbortController()
  const all = [noted('first'), noted('second', { signal: cancelled.signal }), noted('third')]
  cancelled.abort()
  await Promise.all(all)
  expect(ended).toEqual([
    ['second', 'TRANSIENT'],
    ['first', undefined],
    ['third', undefined],
  ])
})

test('a server that dies is started again for a later call, after pauses that grow until a call is answered', async () => {
  const { call, source } = await hostile('exits-at-once')
  const pauses = []
  while (pauses.length < 3) {
    const { retryAfterMs, type } = await outcome(call('pay'))
    expect([type, source.state]).toEqual(['TRANSIENT', 'down'])
    if ([100, 400, 1600].includes(retryAfterMs)) pauses.push(retryAfterMs)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  expect(pauses).toEqual([100, 400, 1600])
})

test('a program that crashed in one session is another than that of other sessions', async () => {
  const { call, count } = await opened()
  await count({ sessionId: 'b' })
  expect(await outcome(call('crash'))).toMatchObject({ type: 'TRANSIENT', partialSideEffects: true })
  expect(await count({ sessionId: 'b' })).toBe('2')
})

test('a program that does not end when it is asked is killed, with what it started', async () => {
  const { call, source, pids } = await hostile('ignores-sigterm')
  expect(await outcome(call('pay'))).toEqual({ text: 'paid' })
  expect(pids().map(isAlive)).toEqual([true, true])
  await source.close()
  await eventually(() => !pids().some(isAlive), 'the end of both')
})

test('a command that does not exist is a source that is down', async () => {
  const { config } = program('/dev/null')
  config.transport.command = '/does/not/exist'
  const { call } = sourceOf(config, { tools: { pay: { sha256: '' } } })
  expect(await outcome(call('pay'))).toMatchObject({ type: 'TRANSIENT', retryable: true, retryAfterMs: 100 })
})

test('nothing is called after the source is closed', async () => {
  const { call, count, source } = await opened()
  await count()
  await source.close()
  expect(await outcome(call('count'))).toMatchObject({ type: 'TRANSIENT', message: 'the source `probe` is closed' })
})

test('a program gets PATH, HOME and what its configuration names; a variable is read when the connection opens', async () => {
  const env = { PATH: process.env.PATH, HOME: '/home/of-a-user', SECRET: 'hidden', TOKEN: 'first' }
  const probe = await hostile('says-its-environment', { env: { GIVEN: 'a-${TOKEN}' }, options: { env } })
  env.TOKEN = 'second'
  const { CALLS: _, EFFECTS: __, PIDS: ___, MARK: ____, ...said } = JSON.parse((await outcome(probe.call('pay'))).text)
  expect(said).toEqual({ PATH: process.env.PATH, HOME: '/home/of-a-user', GIVEN: 'a-second' })
  delete env.TOKEN
  await probe.source.endSession('s')
  const { type, retryable, message } = await outcome(probe.call('pay'))
  expect([type, retryable, message]).toEqual([
    'PERMANENT',
    false,
    'the source `probe` needs `TOKEN`, which the environment does not set',
  ])
  writeFileSync(probe.mark, '')
})
