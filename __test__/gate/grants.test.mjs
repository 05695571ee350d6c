// A user grants with a confirmation that later calls run without a question: what was granted, and nothing else.
import path from 'node:path'

import { toModelResponse } from '../../index.js'
import { openGate } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const HOUR = 3_600_000
const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: false,
  properties: { to: { type: 'string' }, pin: { type: 'string', 'x-sensitive': true } },
  required: ['to'],
  confirmation: { preview: 'Pay {to}', grantable: 'tool' },
}

let made = 0
const pay = (to, more = {}) => ({
  id: `call_pay_${String(++made).padStart(6, '0')}`,
  name: 'pay',
  args: { to, ...more },
})

async function paying(fields = {}, options = {}, sessionOptions = {}) {
  const runs = []
  const execute = ({ args }) => {
    runs.push(args.to)
    return { ok: true }
  }
  const gate = await openGate({ pay: { ...PAY, ...fields, execute } }, options)
  const session = await gate.session(sessionOptions)
  return { ...gate, open: gate.session, session, runs }
}

const asked = async (session, call) => (await session.execute(call)).error.confirmation_request.token

/** Begins the turn after the next: an equal call is another wish then. The first beginning is of the turn that is on already. */
async function later(session) {
  for (let n = 0; n < 3; n++) await session.beginTurn()
}

/** Asks about a call and confirms it with a grant, and lets turns pass. */
async function granting(session, call, grant) {
  const answer = await session.confirm(await asked(session, call), { via: 'page', grant: { ttlMs: HOUR, ...grant } })
  expect(answer.ok).toBe(true)
  await later(session)
}

const typeOf = answer => (answer.ok ? 'ran' : answer.error.type)

test('as many calls run as were granted; each names the grant, to the host and in the audit', async () => {
  const { registry, session, runs, lines } = await paying({}, {}, { principal: 'ada' })
  const token = await asked(session, pay('bob'))
  const grant = { scope: 'tool', calls: 2, ttlMs: HOUR }
  const confirmed = await session.confirm(token, { via: 'page', grant })
  expect([confirmed.ok, confirmed.meta.grant]).toEqual([true, undefined])
  const [given, ...others] = await session.grants()
  expect(others).toEqual([])
  expect(given).toEqual({
    id: expect.stringMatching(/^tgg_[0-9a-f]{32}$/u),
    tool: 'pay',
    toolVersion: '1.0.0',
    scope: 'tool',
    callsLeft: 2,
    expires: given.grantedAt + HOUR,
    grantedAt: expect.any(Number),
    via: 'page',
    preview: null,
  })
  const first = await session.execute(pay('cyd'))
  expect([first.ok, first.meta.grant]).toEqual([true, given.id])
  expect(JSON.stringify(toModelResponse(first))).not.toContain(given.id)
  expect((await session.grants())[0].callsLeft).toBe(1)
  expect(typeOf(await session.execute(pay('dan')))).toBe('ran')
  expect(typeOf(await session.execute(pay('eve')))).toBe('CONFIRMATION_REQUIRED')
  expect([runs, await session.grants()]).toEqual([['bob', 'cyd', 'dan'], []])
  await registry.close()
  const granted = lines.find(line => line.event === 'confirmation_granted')
  expect(granted).toMatchObject({ principal: 'ada', via: 'page', grant: { id: given.id, ...grant } })
  const used = lines.filter(line => line.event === 'grant_used')
  expect(used).toMatchObject([1, 0].map(callsLeft => ({ grant: given.id, callsLeft, toolId: 'pay' })))
  const run = lines.find(line => line.event === 'tool_execution' && line.callId === used[0].callId)
  expect(used[0].idempotencyKey).toBe(run.idempotencyKey)
})

test('with the scope `args` only equal arguments run, secrets too', async () => {
  const { session, runs } = await paying({ confirmation: { preview: 'Pay {to}', grantable: 'args' } })
  await granting(session, pay('bob', { pin: '1' }), { scope: 'args', calls: 9 })
  const [{ preview, scope }] = await session.grants()
  expect([preview, scope]).toEqual(['Pay bob', 'args'])
  for (const other of [pay('cyd', { pin: '1' }), pay('bob', { pin: '2' }), pay('bob')])
    expect(typeOf(await session.execute(other))).toBe('CONFIRMATION_REQUIRED')
  expect(typeOf(await session.execute({ ...pay('bob'), args: { pin: '1', to: 'bob' } }))).toBe('ran')
  expect(runs).toEqual(['bob', 'bob'])
})

test('what the user changed is granted, not what was shown', async () => {
  const { session } = await paying({ confirmation: { grantable: 'args' } })
  const token = await asked(session, pay('bob'))
  await session.confirm(token, { args: { to: 'cyd' }, grant: { scope: 'args', calls: 9, ttlMs: HOUR } })
  await later(session)
  expect(typeOf(await session.execute(pay('bob')))).toBe('CONFIRMATION_REQUIRED')
  expect(typeOf(await session.execute(pay('cyd')))).toBe('ran')
})

const circle = {}
circle.self = circle
test.each([
  ['a text', 'tool', 'object'],
  ['true', true, 'object'],
  ['a list', [], 'object'],
  ['a circle', circle, 'object'],
  ['a long one', { scope: 'tool', calls: 1, ttlMs: 1, more: 'x'.repeat(2000) }, 'object'],
  ['no scope', { calls: 1, ttlMs: 1 }, 'scope'],
  ['another scope', { scope: 'session', calls: 1, ttlMs: 1 }, 'scope'],
  ['no call', { scope: 'tool', calls: 0, ttlMs: 1 }, 'calls'],
  ['too many', { scope: 'tool', calls: 101, ttlMs: 1 }, 'calls'],
  ['endless', { scope: 'tool', calls: Infinity, ttlMs: 1 }, 'calls'],
  ['too long', { scope: 'tool', calls: 1, ttlMs: 24 * HOUR + 1 }, 'ttlMs'],
  ['no time', { scope: 'tool', calls: 1 }, 'ttlMs'],
  ['something else', { scope: 'tool', calls: 1, ttlMs: 1, tool: 'erase' }, '`scope`'],
])('a grant that is none runs nothing, and the question stays: %s', async (_, grant, named) => {
  const { session, runs } = await paying()
  const token = await asked(session, pay('bob'))
  const { ok, error } = await session.confirm(token, { grant })
  expect([ok, error.type, error.message.includes(named)]).toEqual([false, 'VALIDATION', true])
  expect([runs, await session.grants(), (await session.listPending()).length]).toEqual([[], [], 1])
  expect(typeOf(await session.confirm(token))).toBe('ran')
})

test.each([
  ['allows none', {}, 'args'],
  ['says `false`', { grantable: false }, 'tool'],
  ['allows equal arguments', { grantable: 'args' }, 'tool'],
])('no wider grant than the tool allows: it %s', async (_, confirmation, scope) => {
  const { session, runs } = await paying({ confirmation })
  const token = await asked(session, pay('bob'))
  const { error } = await session.confirm(token, { grant: { scope, calls: 1, ttlMs: HOUR } })
  expect([error.type, runs, await session.grants()]).toEqual(['VALIDATION', [], []])
})

test('a confirmation that is refused grants nothing, and of two at once one does', async () => {
  const { session, runs } = await paying({ confirmation: { grantable: 'tool' } })
  const grant = { scope: 'tool', calls: 3, ttlMs: HOUR }
  const forged = await session.confirm('tgc_00000000000000000000000000000000', { grant })
  expect([typeOf(forged), await session.grants()]).toEqual(['CONFIRMATION_EXPIRED', []])
  const token = await asked(session, pay('bob'))
  const both = await Promise.all([session.confirm(token, { grant }), session.confirm(token, { grant })])
  expect(both.map(typeOf).sort()).toEqual(['CONFIRMATION_EXPIRED', 'ran'])
  expect([runs, (await session.grants()).length]).toEqual([['bob'], 1])
})

test('a grant is of its session: another one asks, and can not revoke it', async () => {
  const { session, open, lines, registry } = await paying({}, {}, { principal: 'ada', sessionId: 'a' })
  await granting(session, pay('bob'), { scope: 'tool', calls: 9 })
  const [{ id }] = await session.grants()
  for (const other of [
    await open({ principal: 'ada', sessionId: 'b' }),
    await open({ principal: 'bob', sessionId: 'c' }),
  ]) {
    expect(typeOf(await other.execute(pay('bob')))).toBe('CONFIRMATION_REQUIRED')
    expect([await other.grants(), await other.revoke(id)]).toEqual([[], false])
  }
  const again = await open({ principal: 'ada', sessionId: 'a', mode: 'voice' })
  expect(typeOf(await again.execute(pay('cyd')))).toBe('ran')
  for (const bad of ['', 'tgg_0', '\uD800', null, {}]) expect(await again.revoke(bad)).toBe(false)
  expect(await again.revoke(id, { via: 'page' })).toBe(true)
  expect([await session.revoke(id), await session.grants()]).toEqual([false, []])
  expect(typeOf(await session.execute(pay('dan')))).toBe('CONFIRMATION_REQUIRED')
  await registry.close()
  const revoked = lines.filter(line => line.event === 'grant_revoked')
  expect(revoked).toMatchObject([
    { sessionId: 'a', toolId: 'pay', grant: id, callsLeft: 8, via: 'page', principal: 'ada' },
  ])
})

test.each([
  ['another version', { version: '1.0.1' }],
  ['another definition', { description: 'Another tool of the tests.' }],
  ['no grants any more', { confirmation: { preview: 'Pay {to}' } }],
])('a tool that was built anew is asked about: %s', async (_, change) => {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const before = await paying({}, { store }, { sessionId: 's' })
  await granting(before.session, pay('bob'), { scope: 'tool', calls: 9 })
  expect(typeOf(await before.session.execute(pay('cyd')))).toBe('ran')
  await before.registry.close()
  const after = await paying(change, { store, environment: 'production' }, { sessionId: 's' })
  expect((await after.session.grants()).length).toBe(1)
  expect(typeOf(await after.session.execute(pay('dan')))).toBe('CONFIRMATION_REQUIRED')
})

test('roles, modes and budgets hold as for any call of the model', async () => {
  const roles = ['payer']
  const { session, open, runs } = await paying(
    { requiredRoles: roles, allowedModes: ['text'] },
    {},
    { roles, sessionId: 's' },
  )
  await granting(session, pay('bob'), { scope: 'tool', calls: 50 })
  const without = await open({ sessionId: 's' })
  expect(typeOf(await without.execute(pay('cyd')))).toBe('AUTH')
  const voice = await open({ sessionId: 's', roles, mode: 'voice' })
  expect(typeOf(await voice.execute(pay('cyd')))).toBe('MODE_RESTRICTED')
  const little = await open({ sessionId: 's', roles, policy: { totalCalls: 2 } })
  await little.beginTurn()
  const answers = []
  for (const to of ['cyd', 'dan', 'eve']) answers.push(typeOf(await little.execute(pay(to))))
  expect([answers, runs]).toEqual([
    ['ran', 'ran', 'BUDGET_EXCEEDED'],
    ['bob', 'cyd', 'dan'],
  ])
  expect((await session.grants())[0].callsLeft).toBe(48)
})

test("a handler's call is asked about, whatever the model may do", async () => {
  const runs = []
  const { session: open } = await openGate({
    pay: { ...PAY, execute: ({ args }) => (runs.push(args.to), { ok: true }) },
    plan: {
      kind: 'write',
      duplicate: false,
      execute: async ({ callTool }) => ({ ok: true, data: typeOf(await callTool('pay', { to: 'eve' })) }),
    },
  })
  const session = await open()
  await granting(session, pay('bob'), { scope: 'tool', calls: 9 })
  expect((await session.execute({ id: 'call_plan_000001', name: 'plan', args: {} })).data).toBe('CONFIRMATION_REQUIRED')
  expect(runs).toEqual(['bob'])
})

test('a user who denies a call is not overruled by an earlier grant in the same turn', async () => {
  const { session, runs } = await paying()
  const [first, second] = [await asked(session, pay('bob')), await asked(session, pay('eve'))]
  await session.confirm(first, { grant: { scope: 'tool', calls: 9, ttlMs: HOUR } })
  expect(typeOf(await session.execute(pay('eve')))).toBe('CONFIRMATION_REQUIRED')
  await session.deny(second)
  expect(typeOf(await session.execute(pay('eve')))).toBe('CONFIRMATION_REQUIRED')
  expect(runs).toEqual(['bob'])
})

test('a grant ends with its time, and with its session', async () => {
  const { session } = await paying()
  await granting(session, pay('bob'), { scope: 'tool', calls: 9, ttlMs: 1 })
  await new Promise(resolve => setTimeout(resolve, 5))
  expect([typeOf(await session.execute(pay('cyd'))), await session.grants()]).toEqual(['CONFIRMATION_REQUIRED', []])
  await session.end()
  await expect(session.grants()).rejects.toThrow('the session has ended')
})

test('metadata say what users may grant, and who else confirms', async () => {
  const approvers = { roles: ['manager'], count: 2 }
  const asking = confirmation => ({ kind: 'write', requiresConfirmation: true, confirmation })
  const { registry } = await openGate({
    pay: asking({ grantable: 'args' }),
    send: asking({ grantable: 'tool' }),
    plain: asking({}),
    refund: asking({ approvers }),
  })
  const told = [...registry.tools.values()].map(({ toolId, grantable, approvers }) => [toolId, grantable, approvers])
  expect(told.sort()).toEqual([
    ['pay', 'args', undefined],
    ['plain', undefined, undefined],
    ['refund', undefined, approvers],
    ['send', 'tool', undefined],
  ])
  expect(registry.getToolMetadata('plain')).not.toHaveProperty('grantable')
})
