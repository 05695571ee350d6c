// A framework passes a user's yes on by the call's id. It answers the question that this call was given first, and no later one.
import { eventually, openGate } from '../support/gate.mjs'

const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: { key: ['/to', '/eur'], windowMs: 600_000, on: 'ask' },
  properties: { to: { type: 'string' }, eur: { type: 'number' }, note: { type: 'string', default: 'none' } },
}

let calls = 0
const newId = () => `call_by_call_${(calls += 1)}`
const payment = (eur, id = newId()) => ({ id, name: 'pay', args: { to: 'bob', eur } })
const tokenOf = answer => answer.error.confirmation_request.token
const reasonOf = ({ error }) => [error.type, error.details?.reason]

async function paying(fields = {}) {
  const runs = []
  const execute = ({ args }) => (runs.push(args.eur), { ok: true, data: args.eur })
  const pay = { ...PAY, ...fields, execute }
  const { session: open } = await openGate({ pay, brief: { ...pay, confirmation: { ttlMs: 30 } } })
  const session = await open({ principal: 'ada' })
  await session.beginTurn('1')
  return { session, runs }
}

/** A payment of this sum, which is some turns ago. */
async function paid(session, eur) {
  await session.confirm(tokenOf(await session.execute(payment(eur))))
  for (const turn of ['2', '3', '4']) await session.beginTurn(turn)
}

test('an approval of a card does not run what an edit elsewhere asks', async () => {
  const { session, runs } = await paying()
  await paid(session, 50)
  const call = payment(5)
  const first = await session.execute(call)
  const edited = await session.confirm(tokenOf(first), { args: { to: 'bob', eur: 50 } })
  expect(edited.error.confirmation_request.preview).toMatch(/^Already done/)
  for (const answer of [await session.confirm(call), await session.approve(call)])
    expect(reasonOf(answer)).toEqual(['CONFIRMATION_EXPIRED', 'used'])
  expect(runs).toEqual([50])
  // The question that is open is answered by its own token.
  expect((await session.confirm(tokenOf(edited))).data).toBe(50)
})

test('an approval that is delivered twice does not answer "Do it again?"', async () => {
  const { session, runs } = await paying()
  const call = payment(50)
  const asked = await session.execute(call)
  await session.beginTurn('2')
  const other = await session.execute(payment(7))
  await session.confirm(tokenOf(other), { args: { to: 'bob', eur: 50 } })
  const first = await session.confirm(call)
  expect(first.error.confirmation_request.preview).toMatch(/^Already done/)
  for (const again of [await session.confirm(call), await session.confirm(call, { token: tokenOf(asked) })])
    expect(reasonOf(again)).toEqual(['CONFIRMATION_EXPIRED', 'expired'])
  expect(runs).toEqual([50])
  // The model's next call is asked about, and its card is a new one.
  const next = payment(50)
  expect((await session.ask(next)).error.confirmation_request.token).toBe(tokenOf(first))
  expect((await session.confirm(next)).data).toBe(50)
  expect(runs).toEqual([50, 50])
})

test('a question that was denied, and one that expired, is not answered by the call either', async () => {
  const { session, runs } = await paying()
  const [denied, expired] = [payment(1), { ...payment(2), name: 'brief' }]
  await session.execute(denied)
  expect(await session.deny(denied.id)).toBe(true)
  await session.execute(expired)
  const pending = async () => (await session.listPending()).map(({ callId }) => callId)
  await eventually(async () => (await pending()).length === 0, 'the time is over')
  await session.execute(denied)
  // Its next question is as short.
  const isAsked = async () => (
    await session.execute(expired),
    (await pending()).join() === `${denied.id},${expired.id}`
  )
  await eventually(isAsked, 'both are asked again')
  expect(reasonOf(await session.confirm(denied))).toEqual(['CONFIRMATION_EXPIRED', 'denied'])
  expect(reasonOf(await session.confirm(expired))).toEqual(['CONFIRMATION_EXPIRED', 'expired'])
  expect(runs).toEqual([])
})

test('the token says which question was shown, whichever of the calls names it', async () => {
  const { session, runs } = await paying()
  const [one, twin] = [payment(3), payment(3)]
  const token = tokenOf(await session.execute(one))
  expect(tokenOf(await session.execute(twin))).toBe(token)
  const other = payment(4)
  const otherToken = tokenOf(await session.execute(other))
  expect(reasonOf(await session.confirm(one, { token: otherToken }))).toEqual(['CONFIRMATION_EXPIRED', 'changed'])
  for (const token of ['tgc_of_nobody', '', '\ud800', 7])
    expect(reasonOf(await session.confirm(one, { token }))).toEqual(['CONFIRMATION_EXPIRED', 'unknown'])
  expect((await session.confirm(twin, { token })).data).toBe(3)
  expect((await session.confirm(one, { token })).data).toBe(3)
  expect(runs).toEqual([3])
})

test('a call is the one that was asked about as it was sent, and as it was shown', async () => {
  const { session, runs } = await paying()
  const call = payment(6)
  const { args } = (await session.execute(call)).error.confirmation_request
  expect(args).toEqual({ to: 'bob', eur: 6, note: 'none' })
  expect(reasonOf(await session.confirm({ ...call, args: { to: 'bob', eur: 9 } }))[0]).toBe('CONFIRMATION_EXPIRED')
  expect((await session.confirm({ ...call, args })).data).toBe(6)
  expect(runs).toEqual([6])
})

test('an id that a server numbers anew is another call in each turn', async () => {
  const { session, runs } = await paying({ duplicate: false })
  for (const [turn, eur] of [
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ]) {
    await session.beginTurn(turn)
    const call = payment(eur, 'pay_0')
    await session.execute(call)
    expect((await session.confirm(call)).data).toBe(eur)
    expect((await session.confirm(call)).meta._idempotent_cache_hit).toBe(true)
  }
  expect(runs).toEqual([1, 1, 1])
})

test('an approval that comes again with its message is of the turn of that message', async () => {
  const { session, runs } = await (async () => {
    const runs = []
    const execute = ({ args }) => (runs.push(args.eur), { ok: true, data: args.eur })
    const { session: open } = await openGate({ pay: { ...PAY, execute } })
    return { session: await open({ principal: 'ada' }), runs }
  })()
  const of = message => ({ ...payment(5, 'pay_0'), message: { id: message } })
  await session.ask(of('m1'))
  expect((await session.confirm(of('m1'))).data).toBe(5)
  for (const message of ['m2', 'm3'])
    await session.execute({ id: newId(), name: 'none', args: {}, message: { id: message } })
  expect((await session.ask(of('m4'))).error.confirmation_request.preview).toMatch(/^Already done/)
  expect((await session.confirm(of('m1'))).meta._idempotent_cache_hit).toBe(true)
  expect(runs).toEqual([5])
  expect((await session.confirm(of('m4'))).data).toBe(5)
  expect(runs).toEqual([5, 5])
})

test('a no that names the call closes all that is pending for it', async () => {
  const { session, runs } = await paying()
  const id = newId()
  await session.execute(payment(1, id))
  await session.beginTurn('2')
  await session.execute(payment(2, id))
  expect(await session.listPending()).toHaveLength(2)
  expect(await session.deny(id)).toBe(true)
  expect([await session.listPending(), await session.deny(id), runs]).toEqual([[], false, []])
})

test('the question about a duplicate has a card: `ask` gives it', async () => {
  const { session, runs } = await paying({ requiresConfirmation: false })
  const first = payment(8)
  expect(await session.ask(first)).toBe(null)
  expect((await session.execute(first)).ok).toBe(true)
  const again = payment(8)
  const asked = await session.ask(again)
  expect(asked.error.confirmation_request.preview).toMatch(/^Already done/)
  expect(runs).toEqual([8])
  expect((await session.confirm(again)).data).toBe(8)
  expect(runs).toEqual([8, 8])
})
