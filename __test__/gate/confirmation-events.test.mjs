// What the host is notified of: each thing that happens to a confirmation, once, and never what is secret in it.
import path from 'node:path'

import { createRegistry, toModelResponse } from '../../index.js'
import { eventually, openGate } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: false,
  properties: { to: { type: 'string' }, pin: { type: 'string', 'x-sensitive': true } },
  required: ['to'],
}
const SECRET = 'pin-4711'

let made = 0
const pay = to => ({ id: `call_pay_${String(++made).padStart(6, '0')}`, name: 'pay', args: { to, pin: SECRET } })
const tokenOf = answer => answer.error.confirmation_request.token

async function paying(fields = {}, options = {}) {
  const runs = []
  const events = []
  const execute = ({ args }) => {
    runs.push(args.to)
    return { ok: true }
  }
  const tools = { pay: { ...PAY, ...fields, execute } }
  const gate = await openGate(tools, { onConfirmation: event => events.push(event), ...options })
  return { ...gate, runs, events }
}

const kinds = events => events.map(({ type }) => type)
const storeIn = folder => ({ file: path.join(folder, 'sessions.sqlite') })

test('a question and its answer are reported once each, with an id and without what is secret', async () => {
  const { session: open, events, runs } = await paying()
  const session = await open({ sessionId: 'conversation', principal: 'ada' })
  await session.beginTurn()
  const call = pay('bob')
  const asked = await session.execute(call)
  const token = tokenOf(asked)
  const [pending] = await session.listPending()
  const event = {
    type: 'requested',
    id: expect.stringMatching(/^tgq_[0-9a-f]{32}$/u),
    sessionId: 'conversation',
    principal: 'ada',
    tool: 'pay',
    preview: expect.stringContaining('bob'),
    expires: pending.expires,
    callId: call.id,
    turn: 1,
    mode: 'text',
    via: null,
    reason: null,
  }
  expect(events).toEqual([event])
  expect(pending).toMatchObject({ id: events[0].id, token })
  // The model that asks again, under the same id and another one, gets the pending question.
  expect(tokenOf(await session.execute(call))).toBe(token)
  expect(tokenOf(await session.execute(pay('bob')))).toBe(token)
  expect(tokenOf(await session.ask(pay('bob')))).toBe(token)
  expect(kinds(events)).toEqual(['requested'])
  expect((await session.confirm(token, { via: 'page' })).ok).toBe(true)
  await session.confirm(token, { via: 'page' })
  await session.execute(call)
  expect([runs, events[1]]).toEqual([['bob'], { ...event, id: pending.id, type: 'confirmed', via: 'page' }])
  expect(kinds(events)).toEqual(['requested', 'confirmed'])
  const text = JSON.stringify(events)
  expect([text.includes(token), text.includes(SECRET)]).toEqual([false, false])
  expect(JSON.stringify([asked.error, toModelResponse(asked)])).not.toContain(pending.id)
})

test('an id answers nothing, and names no token', async () => {
  const { session: open, events, runs } = await paying()
  const session = await open()
  await session.execute(pay('bob'))
  const [{ id, token }] = await session.listPending()
  expect(id).not.toContain(token.slice(4))
  expect((await session.confirm(id)).error.type).toBe('CONFIRMATION_EXPIRED')
  expect(await session.deny(id)).toBe(false)
  expect([runs, kinds(events), (await session.listPending()).length]).toEqual([[], ['requested'], 1])
})

test('a denial is reported with its reason', async () => {
  const { session: open, events } = await paying()
  const session = await open()
  const token = tokenOf(await session.execute(pay('bob')))
  expect(await session.deny(token, 'too much', { via: 'page' })).toBe(true)
  expect(await session.deny(token, 'too much')).toBe(false)
  expect(events[1]).toMatchObject({
    type: 'denied',
    id: events[0].id,
    via: 'page',
    reason: 'too much',
    preview: events[0].preview,
  })
  expect(kinds(events)).toEqual(['requested', 'denied'])
})

test('what the user made of a call is what was confirmed', async () => {
  const { session: open, events } = await paying()
  const session = await open()
  const asked = await session.execute(pay('bob'))
  const { token, args } = asked.error.confirmation_request
  expect((await session.confirm(token, { args: { ...args, to: 'cyd' } })).ok).toBe(true)
  expect(events[1]).toMatchObject({ type: 'confirmed', id: events[0].id, preview: expect.stringContaining('cyd') })
})

test('a refused answer reports nothing', async () => {
  const { session: open, events } = await paying({ requiredRoles: ['clerk'] })
  const [clerk, other] = [await open({ sessionId: 'desk', roles: ['clerk'] }), await open({ sessionId: 'desk' })]
  const token = tokenOf(await clerk.execute(pay('bob')))
  expect((await other.confirm(token)).error.type).toBe('AUTH')
  expect((await other.confirm('tgc_0123456789abcdef0123456789abcdef')).error.type).toBe('CONFIRMATION_EXPIRED')
  expect(kinds(events)).toEqual(['requested'])
})

test('an expiry is reported by the process that asked, once, with the text that it showed', async () => {
  const { session: open, events } = await paying({ confirmation: { ttlMs: 1000 } })
  const session = await open()
  const token = tokenOf(await session.execute(pay('bob')))
  await eventually(() => events.length > 1, 'the expiry is reported')
  expect(events[1]).toEqual({ ...events[0], type: 'expired' })
  expect((await session.confirm(token)).error.details.reason).toBe('expired')
  expect(await session.deny(token)).toBe(false)
  expect(kinds(events)).toEqual(['requested', 'expired'])
})

test('of the processes on a store one reports an expiry, also if the answer comes too late to another one', async () => {
  const store = storeIn(await temporaryFolder())
  const asking = await paying({ confirmation: { ttlMs: 1000 } }, { store })
  const late = []
  const other = createRegistry({
    artifact: asking.artifact,
    handlers: { pay: () => ({ ok: true }) },
    store,
    onConfirmation: event => late.push(event),
  })
  await other.load()
  try {
    const session = await asking.session({ sessionId: 'shared' })
    const page = await other.createSession({ mode: 'text', sessionId: 'shared' })
    const token = tokenOf(await session.execute(pay('bob')))
    const isLate = async () => (await page.confirm(token, { signal: AbortSignal.abort() })).error.type !== 'CANCELLED'
    await eventually(isLate, 'the time is over')
    await page.confirm(token)
    await eventually(() => asking.events.length + late.length > 1, 'the expiry is reported')
    await asking.registry.close()
    expect([...kinds(asking.events), ...kinds(late)]).toEqual(['requested', 'expired'])
  } finally {
    await other.close()
  }
})

test('a process reports what it has caused, whichever asked', async () => {
  const store = storeIn(await temporaryFolder())
  const asking = await paying({}, { store })
  const answering = await openGate(
    { pay: { ...PAY, execute: () => ({ ok: true }) } },
    { store, artifact: asking.artifact },
  )
  const session = await asking.session({ sessionId: 'shared' })
  const page = await answering.session({ sessionId: 'shared' })
  const [first, second] = [tokenOf(await session.execute(pay('bob'))), tokenOf(await session.execute(pay('cyd')))]
  expect((await page.confirm(first)).ok).toBe(true)
  expect(await session.deny(second)).toBe(true)
  expect(kinds(asking.events)).toEqual(['requested', 'requested', 'denied'])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('messenger')
    },
    'messenger',
  ],
  ['rejects', () => Promise.reject(new Error('messenger')), 'messenger'],
  ['hangs', () => new Promise(() => {}), null],
])('a listener that %s affects no call', async (_, onConfirmation, message) => {
  const { session: open, runs, thrown } = await paying({}, { onConfirmation })
  const session = await open()
  const token = tokenOf(await session.execute(pay('bob')))
  expect((await session.confirm(token)).ok).toBe(true)
  await eventually(() => thrown.length === (message === null ? 0 : 2), 'both errors are reported')
  expect([runs, thrown.map(error => error.message)]).toEqual([['bob'], message === null ? [] : [message, message]])
})

test('a registry that is closed waits for no expiry, and a process for none', async () => {
  const { session: open, registry, events } = await paying({ confirmation: { ttlMs: 1000 } })
  const session = await open()
  await session.execute(pay('bob'))
  await registry.close()
  await new Promise(resolve => setTimeout(resolve, events[0].expires - Date.now() + 50))
  expect(kinds(events)).toEqual(['requested'])
})

test.each([
  [{ onConfirmation: 'post' }, /`onConfirmation` must be a function/],
  [{ linkSecret: 'too short' }, /`linkSecret` must be a text of 16 bytes or more/],
  [{ linkSecret: 7 }, /`linkSecret` must be a text/],
])('the options %j are refused', (options, message) => {
  expect(() => createRegistry(options)).toThrow(message)
})
