// A confirmation's whole life: asked, shown, answered from here or elsewhere, once, in time, for these arguments alone.
import { toModelResponse, validateToolResponse } from '../../index.js'
import { eventually, openGate } from '../support/gate.mjs'

async function open({ confirmation, ...fields } = {}) {
  const runs = []
  const gate = await openGate({
    order: {
      kind: 'write',
      requiresConfirmation: true,
      confirmation: { preview: 'Order {count} of {item:5}', ...confirmation },
      properties: {
        item: { type: 'string' },
        count: { type: 'integer', default: 1 },
        card: { type: 'string', 'x-sensitive': true },
      },
      required: ['item'],
      execute: ({ args, meta }) => {
        runs.push({ args, callId: meta.callId, key: meta.idempotencyKey })
        return { ok: true, data: { ordered: args.item } }
      },
      ...fields,
    },
    other: {},
  })
  const ask = async (session, args = { item: 'teapot' }, id = 'call_ask_0001') =>
    session.execute({ id, name: 'order', args })
  const asked = async (session, ...more) => (await ask(session, ...more)).error.confirmation_request.token
  return { ...gate, runs, ask, asked }
}

const expired = (answer, reason) =>
  expect(answer).toMatchObject({
    ok: false,
    error: { type: 'CONFIRMATION_EXPIRED', retryable: false, partialSideEffects: false, details: { reason } },
  })

test('what is asked is what runs: the final arguments, under the asking call', async () => {
  const { session, runs, ask } = await open()
  const s = await session()
  const answer = await ask(s)
  expect(validateToolResponse(answer)).toBe(true)
  expect(answer.error).toMatchObject({ type: 'CONFIRMATION_REQUIRED', retryable: false, partialSideEffects: false })
  const { token, expires, ...request } = answer.error.confirmation_request
  expect(request).toEqual({ tool: 'order', args: { item: 'teapot', count: 1 }, preview: 'Order 1 of teapo…' })
  expect(token.length).toBeGreaterThanOrEqual(22)
  expect(expires).toBeGreaterThan(Date.now())
  expect(runs).toEqual([])
  const done = await s.confirm(token)
  expect(done).toMatchObject({ ok: true, data: { ordered: 'teapot' }, meta: { callId: 'call_ask_0001' } })
  expect(validateToolResponse(done)).toBe(true)
  expect(runs).toEqual([{ args: { item: 'teapot', count: 1 }, callId: 'call_ask_0001', key: done.meta.idempotencyKey }])
})

test('the pending list has what the host shows', async () => {
  const { session, asked } = await open()
  const s = await session()
  expect(await s.listPending()).toEqual([])
  const token = await asked(s)
  expect(await s.listPending()).toEqual([
    {
      id: expect.stringMatching(/^tgq_[0-9a-f]{32}$/u),
      token,
      tool: 'order',
      args: { item: 'teapot', count: 1 },
      preview: 'Order 1 of teapo…',
      expires: expect.any(Number),
      callId: 'call_ask_0001',
      turn: 1,
      mode: 'text',
    },
  ])
  await s.confirm(token)
  expect(await s.listPending()).toEqual([])
})

test('a second yes says used, and what became of it', async () => {
  const { session, runs, asked } = await open()
  const s = await session()
  const token = await asked(s)
  await s.confirm(token)
  const again = await s.confirm(token)
  expired(again, 'used')
  expect(again.error.details).toMatchObject({ callId: 'call_ask_0001', outcome: 'committed' })
  expect(runs).toHaveLength(1)
})

test('two at once run once', async () => {
  const { session, runs, asked } = await open()
  const s = await session()
  const token = await asked(s)
  const answers = await Promise.all([s.confirm(token), s.confirm(token)])
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  expect(runs).toHaveLength(1)
})

test('too late is expired', async () => {
  const { session, runs, asked } = await open({ confirmation: { preview: 'x', ttlMs: 1 } })
  const s = await session()
  const token = await asked(s)
  await eventually(async () => (await s.listPending()).length === 0, 'the question expires')
  expired(await s.confirm(token), 'expired')
  expect([runs, await s.listPending()]).toEqual([[], []])
})

test('from another session nothing runs', async () => {
  const { session, runs, asked } = await open()
  const s = await session({ sessionId: 'mine' })
  const token = await asked(s)
  expired(await (await session({ sessionId: 'theirs' })).confirm(token), 'unknown')
  expect(runs).toEqual([])
  expect((await s.confirm(token)).ok).toBe(true)
})

test.each(['', 'tgc_', 'tgc_00000000000000000000000000000000', '\ud800', 'x'.repeat(1e6), undefined, null, {}])(
  'the token %.20p is unknown',
  async token => {
    const { session } = await open()
    expired(await (await session()).confirm(token), 'unknown')
  },
)

test('a token that was tampered with runs nothing', async () => {
  const { session, runs, asked } = await open()
  const s = await session()
  const token = await asked(s)
  const last = token.at(-1) === '0' ? '1' : '0'
  for (const bad of [token.slice(0, -1) + last, `${token} `, token.toUpperCase(), token.slice(0, -1)])
    expired(await s.confirm(bad), 'unknown')
  expect(runs).toEqual([])
})

test('changed arguments are another question; a token among the arguments is refused', async () => {
  const { session, runs, ask, asked } = await open()
  const s = await session()
  const token = await asked(s)
  const changed = await ask(s, { item: 'teapot', count: 2 }, 'call_ask_0002')
  expect(changed.error.confirmation_request.token).not.toBe(token)
  for (const name of ['token', 'confirmation_token', 'confirmationToken']) {
    expect((await ask(s, { item: 'teapot', [name]: token }, `call_with_${name}`)).error.type).toBe('VALIDATION')
  }
  expect(runs).toEqual([])
})

test('an equal call while the first waits gets the same token', async () => {
  const { session, ask, asked } = await open()
  const s = await session()
  const token = await asked(s)
  const again = await ask(s, '{ "count": 1, "item": "teapot" }', 'call_ask_0009')
  expect(again.error.confirmation_request.token).toBe(token)
  expect(await s.listPending()).toHaveLength(1)
})

test('an equal call in the turn of its confirmation, and the next, is replayed and never asked again', async () => {
  const { session, runs, ask, asked } = await open()
  const s = await session()
  await s.beginTurn()
  await s.confirm(await asked(s))
  for (const id of ['call_after_001', 'call_after_002']) {
    expect(await ask(s, { item: 'teapot' }, id)).toMatchObject({
      ok: true,
      data: { ordered: 'teapot' },
      meta: { _idempotent_cache_hit: true },
    })
    await s.beginTurn()
  }
  expect((await ask(s, { item: 'teapot' }, 'call_after_003')).error.type).toBe('CONFIRMATION_REQUIRED')
  expect(runs).toHaveLength(1)
})

test('a yes from an attachment that is behind counts for the turn of the session', async () => {
  const { session, runs, ask, asked } = await open()
  const [page, s] = [await session({ sessionId: 's' }), await session({ sessionId: 's' })]
  for (const turn of ['one', 'two', 'three', 'four']) await s.beginTurn(turn)
  await page.confirm(await asked(s))
  expect(await ask(s, { item: 'teapot' }, 'call_after_001')).toMatchObject({ ok: true, data: { ordered: 'teapot' } })
  expect(runs).toHaveLength(1)
})

test('no runs nothing, and frees the question', async () => {
  const { session, runs, asked, lines } = await open()
  const s = await session()
  const token = await asked(s)
  expect([await s.deny(token, 'too dear'), await s.deny(token), await s.deny('nope')]).toEqual([true, false, false])
  expect((await s.confirm(token)).error.type).toBe('CONFIRMATION_EXPIRED')
  expect(runs).toEqual([])
  await eventually(() => lines.some(({ event }) => event === 'confirmation_denied'), 'the no was not told')
  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'confirmation_denied', toolId: 'order', reason: 'too dear' }),
  )
})

test('voice asks, the text page confirms, after a reconnect too', async () => {
  const { session, runs, asked } = await open()
  const voice = await session({ sessionId: 's', mode: 'voice' })
  const token = await asked(voice)
  await voice.detach()
  const page = await session({ sessionId: 's' })
  expect((await page.listPending()).map(pending => [pending.token, pending.mode])).toEqual([[token, 'voice']])
  expect((await page.confirm(token)).ok).toBe(true)
  expect(runs).toHaveLength(1)
})

test("it is the user's act: the turn's budget does not stop it", async () => {
  const { session, asked } = await open()
  const s = await session({ policy: { totalCalls: 1 } })
  const token = await asked(s)
  await s.execute({ id: 'call_under_123', name: 'other' })
  expect((await s.execute({ id: 'call_over_1234', name: 'other' })).error.type).toBe('BUDGET_EXCEEDED')
  expect((await s.confirm(token)).ok).toBe(true)
})

test('roles are checked again', async () => {
  const { session, runs, asked } = await open({ requiredRoles: ['buyer'] })
  const token = await asked(await session({ sessionId: 's', roles: ['buyer'] }))
  expect((await (await session({ sessionId: 's' })).confirm(token)).error.type).toBe('AUTH')
  expect(runs).toEqual([])
})

test('after the end a yes is SESSION_INACTIVE', async () => {
  const { session, runs, asked } = await open()
  const s = await session()
  const token = await asked(s)
  await s.end()
  expect((await s.confirm(token)).error.type).toBe('SESSION_INACTIVE')
  await expect(s.listPending()).rejects.toMatchObject({ type: 'SESSION_INACTIVE' })
  await expect(s.deny(token)).rejects.toMatchObject({ type: 'SESSION_INACTIVE' })
  expect(runs).toEqual([])
})

test('`when`: only matching calls are asked for', async () => {
  const { session, ask } = await open({
    confirmation: { preview: 'x', when: { properties: { count: { minimum: 10 } } } },
  })
  const s = await session()
  expect((await ask(s, { item: 'cup', count: 9 }, 'call_few_0001')).ok).toBe(true)
  expect((await ask(s, { item: 'cup', count: 10 }, 'call_many_001')).error.type).toBe('CONFIRMATION_REQUIRED')
})

test('a sensitive value is masked where it is previewed, and whole where it runs', async () => {
  const { session, runs, ask } = await open({ confirmation: { preview: 'Pay {item} with {card}' } })
  const s = await session()
  const { error } = await ask(s, { item: 'cup', card: '4242424242424242' })
  expect(JSON.stringify(error)).not.toContain('4242')
  expect(error.confirmation_request.args).toEqual({ item: 'cup', count: 1, card: '***' })
  expect(await s.listPending()).toMatchObject([{ args: { item: 'cup', card: '***' }, preview: 'Pay cup with ***' }])
  await s.confirm(error.confirmation_request.token)
  expect(runs[0].args.card).toBe('4242424242424242')
})

test('at most 20 wait; the oldest makes room', async () => {
  const { session, ask } = await open()
  const s = await session({ policy: { totalCalls: 100 } })
  const tokens = []
  for (let n = 0; n < 21; n += 1)
    tokens.push((await ask(s, { item: 'cup', count: n }, `call_many_${n}_x`)).error.confirmation_request.token)
  expect((await s.listPending()).map(({ token }) => token)).toEqual(tokens.slice(1))
  expect((await s.confirm(tokens[0])).error.type).toBe('CONFIRMATION_EXPIRED')
})

test("the model's answer has no token", async () => {
  const { session, ask } = await open()
  const answer = await ask(await session())
  const { token } = answer.error.confirmation_request
  expect(JSON.stringify(toModelResponse(answer))).not.toContain(token)
})
