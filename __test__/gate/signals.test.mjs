// Callers that go away: a signal detaches its own caller, and no other.
import { getEventListeners } from 'node:events'

import { eventLoop, eventually, gateway, openGate } from '../support/gate.mjs'

/** A tool whose runs wait, with the number of its starts and stops. */
function held(fields = {}) {
  const { open, passed } = gateway()
  const told = { started: 0, stopped: 0 }
  const execute = async ({ args, signal }) => {
    told.started += 1
    signal.addEventListener('abort', () => {
      told.stopped += 1
    })
    await passed
    return { ok: true, data: args }
  }
  return { told, open, tool: { execute, kind: 'read', properties: { q: {} }, ...fields } }
}

const look = (q, id) => ({ id, name: 'look', args: { q } })
const cancelled = outcome => ({ ok: false, error: { type: 'CANCELLED', details: { outcome } } })

/** Two requests of one session, as two attachments, over one held tool. */
async function twoRequests(tool, options = {}) {
  const gate = await openGate({ look: tool })
  const attach = () => gate.session({ sessionId: 'one', exclusive: false, ...options })
  return { ...gate, mine: await attach(), theirs: await attach() }
}

test("a signal leaves another request's call under the same id alone", async () => {
  const { told, open, tool } = held()
  const { mine, theirs } = await twoRequests(tool)
  const request = new AbortController()
  const gone = mine.execute(look('a', 'call_0'), { signal: request.signal })
  const stays = theirs.execute(look('b', 'call_0'), { signal: new AbortController().signal })
  request.abort()
  expect(await gone).toMatchObject(cancelled('aborted'))
  open()
  expect(await stays).toMatchObject({ ok: true, data: { q: 'b' } })
  expect(told).toEqual({ started: 2, stopped: 1 })
})

test.each([
  ['the call that runs', 0],
  ['the one that joined', 1],
])('a signal of %s leaves the other caller, with and without an id', async (_which, place) => {
  for (const id of ['call_shared_0001', undefined]) {
    const { told, open, tool } = held()
    const { mine, theirs } = await twoRequests(tool)
    const requests = [new AbortController(), new AbortController()]
    const callers = [mine, theirs].map((session, n) => session.execute(look('a', id), { signal: requests[n].signal }))
    await eventLoop()
    requests[place].abort()
    expect(await callers[place]).toMatchObject(cancelled('continues'))
    open()
    expect(await callers[1 - place]).toMatchObject({ ok: true, data: { q: 'a' } })
    expect(told).toEqual({ started: 1, stopped: 0 })
  }
})

test('the last caller that goes stops a read', async () => {
  const { told, tool } = held()
  const { mine, theirs } = await twoRequests(tool)
  const request = new AbortController()
  const callers = [mine, theirs].map(session =>
    session.execute(look('a'), { signal: request.signal, reason: 'closed' }),
  )
  await eventLoop()
  request.abort()
  const answers = await Promise.all(callers)
  expect(answers.map(({ error }) => error.details)).toEqual([
    { outcome: 'continues', reason: 'closed' },
    { outcome: 'aborted', reason: 'closed' },
  ])
  expect(told).toEqual({ started: 1, stopped: 1 })
})

test('a started write goes on, and its caller hears that its outcome is not known', async () => {
  const { told, open, tool } = held({ kind: 'write' })
  const { mine } = await twoRequests(tool)
  const request = new AbortController()
  const gone = mine.execute(look('a', 'call_write_0001'), { signal: request.signal })
  request.abort()
  expect(await gone).toMatchObject(cancelled('unknown'))
  open()
  const again = () => mine.execute(look('a', 'call_write_0001'))
  await eventually(async () => (await again()).ok, 'the write has ended')
  expect(await again()).toMatchObject({ ok: true, data: { q: 'a' } })
  expect(told).toEqual({ started: 1, stopped: 0 })
})

test('a signal that is aborted already runs nothing, and a later call under the id runs', async () => {
  const { told, open, tool } = held()
  open()
  const { mine, lines } = await twoRequests(tool)
  const signal = AbortSignal.abort('words of a stranger')
  const none = [mine.execute(look('a', 'call_gone_0001'), { signal }), mine.executeText(look('b'), { signal })]
  expect(await none[0]).toMatchObject(cancelled('aborted'))
  expect(JSON.parse(await none[1])).toMatchObject(cancelled('aborted'))
  expect(await mine.executeAll([look('c'), look('d')], { signal })).toMatchObject([
    cancelled('aborted'),
    cancelled('aborted'),
  ])
  expect(told.started).toBe(0)
  expect(lines.filter(({ event }) => event === 'tool_cancelled').map(({ reason }) => reason)).toEqual(
    Array(4).fill('the request was aborted'),
  )
  expect(JSON.stringify(lines)).not.toContain('stranger')
  expect((await mine.execute(look('a', 'call_gone_0001'))).ok).toBe(true)
  // What has run already is answered from its record: that runs nothing.
  expect((await mine.execute(look('a', 'call_gone_0001'), { signal })).ok).toBe(true)
})

test('a batch is cancelled with its signal, whether its calls have begun or not', async () => {
  const { told, tool } = held({ kind: 'write' })
  const { mine } = await twoRequests(tool)
  const request = new AbortController()
  const answers = mine.executeAll([look('a', 'call_batch_0001'), look('b', 'call_batch_0002')], {
    signal: request.signal,
  })
  await eventLoop()
  request.abort()
  expect(await answers).toMatchObject([cancelled('unknown'), cancelled('aborted')])
  expect(told.started).toBe(1)
})

test('a confirmation whose caller is gone stays pending; a caller that goes later is detached', async () => {
  const { told, open, tool } = held({ kind: 'write', requiresConfirmation: true })
  const { mine, theirs } = await twoRequests(tool)
  const asked = await mine.execute(look('a', 'call_pay_0001'))
  const { token } = asked.error.confirmation_request
  const signal = AbortSignal.abort()
  expect(await mine.confirm(token, { signal })).toMatchObject({ ...cancelled('aborted'), meta: { toolId: 'look' } })
  expect(await mine.confirm(look('a', 'call_pay_0001'), { signal })).toMatchObject(cancelled('aborted'))
  expect(await mine.listPending()).toHaveLength(1)
  const request = new AbortController()
  const confirmed = mine.confirm(token, { signal: request.signal })
  await eventLoop()
  const joined = theirs.execute(look('a', 'call_pay_0001'))
  request.abort()
  expect(await confirmed).toMatchObject(cancelled('unknown'))
  open()
  expect(await joined).toMatchObject({ ok: true, data: { q: 'a' } })
  expect(told).toEqual({ started: 1, stopped: 0 })
})

test('a long-lived signal keeps no listener of an answered call', async () => {
  const { open, tool } = held()
  open()
  const { mine } = await twoRequests(tool)
  const listeners = new Set()
  const signal = {
    aborted: false,
    addEventListener: (_type, listener) => listeners.add(listener),
    removeEventListener: (_type, listener) => listeners.delete(listener),
  }
  const answer = mine.execute(look('a'), { signal })
  expect(listeners.size).toBe(1)
  await answer
  expect(listeners.size).toBe(0)
  for (const none of [undefined, {}, { signal: undefined }, { signal: null }])
    expect((await mine.execute(look('b'), none)).ok).toBe(true)
  await expect(mine.execute(look('b'), { signal: 'soon' })).rejects.toThrow('`signal` must be an AbortSignal')
})

test('a request gives one signal to many calls: one listener, which is gone with them', async () => {
  const warned = []
  const note = warning => warned.push(warning.message)
  process.on('warning', note)
  const { told, open, tool } = held()
  const { mine } = await twoRequests(tool, { policy: { totalCalls: 100, retrievalCalls: 100 } })
  const request = new AbortController()
  const { signal } = request
  const one = async (n, own) => (await mine.execute(look(`${n}`), { signal: own })).ok
  const calls = Array.from({ length: 20 }, (_, n) => one(n, signal))
  await eventLoop()
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  open()
  expect(await Promise.all(calls)).toEqual(calls.map(() => true))
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  const again = mine.execute(look('again'), { signal })
  request.abort()
  await again
  expect([getEventListeners(signal, 'abort').length, told.started >= 20, warned]).toEqual([0, true, []])
  process.off('warning', note)
})

test('a signal of many calls detaches each of them', async () => {
  const { open, tool } = held()
  const { mine } = await twoRequests(tool)
  const request = new AbortController()
  const calls = ['a', 'b', 'c'].map(q => mine.execute(look(q), { signal: request.signal }))
  await eventLoop()
  request.abort()
  for (const answer of await Promise.all(calls)) expect(answer.error.type).toBe('CANCELLED')
  open()
})
