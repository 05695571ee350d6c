// What became of a call, for those who only look: a page, a voice server, a route that completes a history.
import { eventually, gateway, openGate } from '../support/gate.mjs'

const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: { key: ['/to', '/amount'] },
  properties: { to: { type: 'string' }, amount: { type: 'number' }, pin: { type: 'string', 'x-sensitive': true } },
  confirmation: { preview: 'Pay {amount} to {to}' },
}

async function open({ execute = ({ args }) => ({ ok: true, data: args.amount }), ...fields } = {}) {
  const runs = []
  const gate = await openGate({
    pay: { ...PAY, ...fields, execute: context => (runs.push(context.args), execute(context)) },
    note: { kind: 'write', duplicate: false, properties: { text: { type: 'string' } }, execute },
  })
  const session = await gate.session({ sessionId: 'looked-at', principal: 'ada' })
  await session.beginTurn('1')
  return { ...gate, open: gate.session, session, runs }
}

let calls = 0
const payment = (args = { to: 'bob', amount: 5 }) => ({ id: `call_payment_${(calls += 1)}`, name: 'pay', args })
const tokenOf = answer => answer.error.confirmation_request.token

test('a pending call shows its question without the token, and a look leaves it pending', async () => {
  const { session, lines, registry, runs } = await open()
  const call = payment({ to: 'bob', amount: 5, pin: '1234' })
  const token = tokenOf(await session.execute(call))
  const [{ token: _, ...shown }] = await session.listPending()
  const [before, counted] = [lines.length, JSON.stringify(registry.getMetrics().tools)]
  for (const named of [{ callId: call.id }, { token }, { token }]) {
    expect(await session.outcome(named)).toEqual({ status: 'pending', confirmation: shown })
  }
  expect(shown.args).toEqual({ to: 'bob', amount: 5, pin: '***' })
  expect([lines.length, JSON.stringify(registry.getMetrics().tools), runs]).toEqual([before, counted, []])
  expect((await session.confirm(token)).data).toBe(5)
})

test('a call that runs, and its answer', async () => {
  const gate = gateway()
  const execute = async ({ args }) => (await gate.passed, { ok: true, data: args.amount })
  const { session, runs } = await open({ execute })
  const call = payment()
  const token = tokenOf(await session.execute(call))
  const running = session.confirm(token)
  await eventually(() => runs.length === 1, 'the confirmed call runs')
  for (const named of [{ callId: call.id }, { token }])
    expect(await session.outcome(named)).toEqual({ status: 'running' })
  gate.open()
  const answer = await running
  for (const named of [{ callId: call.id }, { token }]) {
    const { status, response } = await session.outcome(named)
    expect([status, response]).toEqual(['answered', answer])
  }
})

test('a denied call, and one that nobody knows', async () => {
  const { session } = await open()
  const call = payment()
  const token = tokenOf(await session.execute(call))
  await session.deny(token)
  expect(await session.outcome({ callId: call.id })).toEqual({ status: 'denied' })
  expect(await session.outcome({ token })).toEqual({ status: 'denied' })
  for (const named of [{ callId: 'call_of_nobody' }, { token: 'tgc_none' }, { callId: '\ud800' }, { token: '' }])
    expect(await session.outcome(named)).toEqual({ status: 'not_found' })
})

test('a question that another one has replaced has expired, and names the one that is open', async () => {
  const { session } = await open()
  await session.confirm(tokenOf(await session.execute(payment({ to: 'bob', amount: 50 }))))
  for (const turn of ['2', '3', '4']) await session.beginTurn(turn)
  const call = payment({ to: 'bob', amount: 5 })
  const token = tokenOf(await session.execute(call))
  const edited = await session.confirm(token, { args: { to: 'bob', amount: 50 } })
  expect(edited.error.confirmation_request.preview).toContain('Do it again?')
  const { status, confirmation } = await session.outcome({ callId: call.id })
  expect([status, confirmation.preview]).toEqual(['pending', edited.error.confirmation_request.preview])
})

test('a look is of one session and its owner, and needs a name', async () => {
  const { session, open: attach } = await open()
  const call = payment()
  const token = tokenOf(await session.execute(call))
  const other = await attach({ sessionId: 'another', principal: 'ada' })
  for (const named of [{ callId: call.id }, { token }])
    expect(await other.outcome(named)).toEqual({ status: 'not_found' })
  await expect(attach({ sessionId: 'looked-at', principal: 'eve' })).rejects.toMatchObject({ type: 'AUTH' })
  for (const named of [undefined, null, {}, call.id, { callId: 'a', token: 'b' }, { id: 'a' }])
    await expect(session.outcome(named)).rejects.toThrow(TypeError)
  await session.detach()
  await expect(session.outcome({ token })).rejects.toMatchObject({ type: 'SESSION_INACTIVE' })
})

test('a call without a question is looked at by its id', async () => {
  const { session } = await open()
  const answer = await session.execute({ id: 'call_note_00001', name: 'note', args: { text: 'a' } })
  expect(await session.outcome({ callId: 'call_note_00001' })).toEqual({ status: 'answered', response: answer })
})
