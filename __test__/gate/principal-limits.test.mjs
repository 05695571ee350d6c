// Limits of a principal: of a tool and of a mode, over all its sessions and processes.
import path from 'node:path'

import { eraseSessions, listSessions } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { types } from '../support/counted-tools.mjs'
import { openGate } from '../support/gate.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const HOUR = 3_600_000
const NUMBER = { properties: { n: { type: 'integer' } } }
const SEND = { kind: 'write', duplicate: false, ...NUMBER, rateLimit: { calls: 3, windowMs: HOUR, per: 'principal' } }
const onFile = () => ({ store: { file: path.join(temporaryFolder(), 'sessions.sqlite') } })
const STORES = [
  ['memory', () => ({})],
  ['a file', onFile],
]

async function sending(fields = {}, options = {}) {
  let runs = 0
  const execute = () => ({ ok: true, data: (runs += 1) })
  const gate = await openGate({ send: { ...SEND, ...fields, execute }, note: { ...NUMBER, execute } }, options)
  let ids = 0
  const call = (session, name, id = `call_${name}_${String((ids += 1)).padStart(6, '0')}`) =>
    session.execute({ id, name, args: { n: ids } })
  return { ...gate, call, runs: () => runs }
}

test.each(STORES)('all sessions of a principal share the calls of a tool: %s', async (_where, optionsOf) => {
  const { registry, session, call, runs, lines } = await sending({}, optionsOf())
  const answers = []
  for (let n = 0; n < 5; n += 1) answers.push(await call(await session({ principal: 'ada' }), 'send'))
  expect(types(answers)).toEqual(['ok', 'ok', 'ok', 'RATE_LIMIT', 'RATE_LIMIT'])
  expect(runs()).toBe(3)
  const { error } = answers.at(-1)
  expect(error).toMatchObject({
    retryable: true,
    details: { limit: 'tool', per: 'principal', calls: 3, windowMs: HOUR },
    message: expect.stringMatching(/^`send` is called too often for this user; it can be called again in \d+ ms$/),
  })
  expect(error.retryAfterMs).toBeGreaterThan(HOUR - 60_000)
  expect(error.retryAfterMs).toBeLessThanOrEqual(HOUR)
  expect(registry.getMetrics().send.text.errors).toEqual({ RATE_LIMIT: 2 })
  const refused = lines.filter(({ event }) => event === 'tool_refused')
  expect(refused.at(-1)).toMatchObject({ errorType: 'RATE_LIMIT', retryAfterMs: error.retryAfterMs })
  expect(types([await call(await session({ principal: 'bob' }), 'send')])).toEqual(['ok'])
})

test.each(STORES)(
  'what does not run does not count, and a replay is answered at the limit: %s',
  async (_, optionsOf) => {
    const { session, call, runs } = await sending({}, optionsOf())
    const s = await session({ principal: 'ada', policy: { totalCalls: 1 } })
    const calls = [await call(s, 'send', 'call_send_first'), await call(s, 'send'), await call(s, 'send')]
    expect(types(calls)).toEqual(['ok', 'BUDGET_EXCEEDED', 'BUDGET_EXCEEDED'])
    const other = await session({ principal: 'ada' })
    for (let n = 0; n < 2; n += 1) expect((await call(other, 'send')).ok).toBe(true)
    expect(types([await call(other, 'send')])).toEqual(['RATE_LIMIT'])
    const again = await s.execute({ id: 'call_send_first', name: 'send', args: { n: 0 } })
    expect([again.ok, again.meta._idempotent_cache_hit, runs()]).toEqual([true, true, 3])
  },
)

test.each(STORES)('calls that are made at once are counted one by one: %s', async (_where, optionsOf) => {
  const { session, call, runs } = await sending({}, optionsOf())
  const sessions = await Promise.all(Array.from({ length: 4 }, () => session({ principal: 'ada' })))
  const answers = await Promise.all(sessions.flatMap(s => [call(s, 'send'), call(s, 'send')]))
  expect(types(answers).sort()).toEqual([...Array(5).fill('RATE_LIMIT'), 'ok', 'ok', 'ok'])
  expect(runs()).toBe(3)
})

test.each(STORES)('a session without a principal counts by itself: %s', async (_where, optionsOf) => {
  const { session, call } = await sending({}, optionsOf())
  const [one, other] = [await session(), await session()]
  for (let n = 0; n < 3; n += 1) expect((await call(one, 'send')).ok).toBe(true)
  const { error } = await call(one, 'send')
  expect(error).toMatchObject({ type: 'RATE_LIMIT', details: { limit: 'tool', per: 'session' } })
  expect((await call(other, 'send')).ok).toBe(true)
})

test.each(STORES)('a mode limits all calls of a principal in it: %s', async (_where, optionsOf) => {
  const limit = { perPrincipal: { calls: 2, windowMs: HOUR } }
  const { session, call } = await sending({ rateLimit: undefined }, { ...optionsOf(), modes: { voice: limit } })
  const of = (mode, given = {}) => session({ principal: 'ada', mode, ...given })
  const answers = [await call(await of('voice'), 'send'), await call(await of('voice'), 'note')]
  answers.push(await call(await of('voice'), 'note'), await call(await of('text'), 'note'))
  expect(types(answers)).toEqual(['ok', 'ok', 'RATE_LIMIT', 'ok'])
  expect(answers[2].error).toMatchObject({
    message: expect.stringMatching(/^tools in voice mode are called too often for this user; they can be called again/),
    details: { limit: 'mode', per: 'principal', calls: 2, windowMs: HOUR },
  })
  expect(types([await call(await of('voice', { policy: { perPrincipal: null } }), 'note')])).toEqual(['ok'])
  const open = await session({ mode: 'voice' })
  const alone = [await call(open, 'note'), await call(open, 'note'), await call(open, 'note')]
  expect(types(alone)).toEqual(['ok', 'ok', 'RATE_LIMIT'])
  expect(alone[2].error.details.per).toBe('session')
})

test('a call that its user confirms is not counted, and nobody is asked once the limit is reached', async () => {
  const asks = { requiresConfirmation: true, confirmation: { when: { required: ['n'] } } }
  const { session, call, runs } = await sending({ ...asks, rateLimit: { ...SEND.rateLimit, calls: 1 } })
  const s = await session({ principal: 'ada' })
  const asked = await call(s, 'send')
  expect(asked.error.type).toBe('CONFIRMATION_REQUIRED')
  const [{ token }] = await s.listPending()
  expect((await s.confirm(token)).ok).toBe(true)
  const unasked = id => s.execute({ id, name: 'send', args: {} })
  expect(types([await unasked('call_send_plain1'), await unasked('call_send_plain2')])).toEqual(['ok', 'RATE_LIMIT'])
  expect(types([await call(s, 'send')])).toEqual(['RATE_LIMIT'])
  expect([await s.listPending(), runs()]).toEqual([[], 2])
})

test('the counts are erased with their principal', async () => {
  const options = onFile()
  const { registry, session, call } = await sending({}, options)
  for (let n = 0; n < 3; n += 1) await call(await session({ principal: 'ada' }), 'send')
  expect(types([await call(await session({ principal: 'ada' }), 'send')])).toEqual(['RATE_LIMIT'])
  await registry.close()
  await eraseSessions(options.store, { principal: 'ada' })
  expect((await listSessions(options.store, { principal: 'ada' })).sessions).toEqual([])
  const again = await sending({}, options)
  expect(types([await again.call(await again.session({ principal: 'ada' }), 'send')])).toEqual(['ok'])
})

test('processes on one store share the limit exactly', async () => {
  const { artifact } = await toolSet({
    send: { ...SEND, rateLimit: { calls: 20, windowMs: HOUR, per: 'principal' } },
  })
  const { store } = onFile()
  const source = `
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    const options = { artifact: ${JSON.stringify(artifact)}, store: ${JSON.stringify(store)} }
    const handlers = { send: () => ({ ok: true, data: 1 }) }
    const registry = await createRegistry({ ...options, handlers }).load()
    const make = async session => {
      const policy = { totalCalls: 1000 }
      const s = await registry.createSession({ mode: 'text', principal: 'ada', policy })
      const answers = []
      for (let n = 0; n < 10; n += 1)
        answers.push((await s.execute({ id: 'call_' + process.pid + session + n, name: 'send', args: { n } })).ok)
      return answers.filter(ok => ok).length
    }
    const granted = await Promise.all([make('a'), make('b')])
    await registry.close()
    console.log(granted[0] + granted[1])
  `
  const processes = await Promise.all([runModule(source), runModule(source)])
  expect(processes.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ])
  expect(processes.reduce((sum, { stdout }) => sum + Number(stdout), 0)).toBe(20)
})

test.each([
  [{ calls: 0, windowMs: 1 }, /`perPrincipal.calls` must be a whole number, 1 or more/],
  [
    { calls: 1, windowMs: 32 * 24 * HOUR },
    /`perPrincipal.windowMs` must be a whole number from 1 to 2678400000, 31 days/,
  ],
  [{ calls: 1, window: 1 }, /unknown field `window`/],
  [5, /perPrincipal|invalid type/],
])('a limit of a mode that is not right is refused: %j', async (perPrincipal, message) => {
  await expect(sending({}, { modes: { voice: { perPrincipal } } })).rejects.toThrow(message)
})
