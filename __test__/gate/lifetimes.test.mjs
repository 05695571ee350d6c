// Two lifetimes: an unused session is dropped, and what is open in it keeps it for a time of its own. Nothing ends in silence.
import path from 'node:path'

import { success } from '../../index.js'
import { eventually, openGate } from '../support/gate.mjs'
import { delivered } from '../support/results.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const IDLE_MS = 100
/** Longer than a sweep takes. */
const OWED_MS = 2500
const DAY_MS = 86_400_000
const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: false,
  properties: { to: { type: 'string' } },
  required: ['to'],
  confirmation: { ttlMs: 60_000 },
}
let made = 0
const call = (name, args = {}) => ({ id: `call_${name}_${String(++made).padStart(6, '0')}`, name, args })
const tokenOf = answer => answer.error.confirmation_request.token
const pause = ms => new Promise(resolve => setTimeout(resolve, ms))
const stores = [
  ['memory', () => undefined],
  ['file', async () => ({ file: path.join(await temporaryFolder(), 'sessions.sqlite') })],
]

async function opened(tools, { store, limits = {}, ...options } = {}) {
  const events = []
  const gate = await openGate(tools, {
    onConfirmation: event => events.push(event),
    limits: { sessionIdleMs: IDLE_MS, ...limits },
    ...(store && { store }),
    ...options,
  })
  /** Lets the idle time pass for each session, and has those dropped that nothing keeps. */
  const sweep = async () => {
    await pause(1000 + 2 * IDLE_MS)
    await gate.session({ sessionId: 'sweeper' })
  }
  const isThere = sessionId =>
    gate.session({ sessionId, resumeOnly: true }).then(
      () => true,
      () => false,
    )
  return { ...gate, events, sweep, isThere }
}

describe.each(stores)('in the store %s', (_, storeOf) => {
  test('a question keeps its session until it is answered, and another session is dropped', async () => {
    const runs = []
    const pay = { ...PAY, execute: ({ args }) => (runs.push(args.to), success(null)) }
    const { session: open, sweep, isThere } = await opened({ pay }, { store: await storeOf() })
    const asking = await open({ sessionId: 'asking' })
    const token = tokenOf(await asking.execute(call('pay', { to: 'bob' })))
    asking.detach()
    const other = await open({ sessionId: 'other' })
    other.detach()
    await sweep()
    expect(await isThere('other')).toBe(false)
    const page = await open({ sessionId: 'asking', resumeOnly: true })
    expect((await page.confirm(token)).ok).toBe(true)
    expect(runs).toEqual(['bob'])
    page.detach()
    await sweep()
    expect(await isThere('asking')).toBe(false)
  })

  test('a question that nobody answers expires with an event, though its session is not used', async () => {
    const pay = { ...PAY, confirmation: { ttlMs: 1500 }, execute: () => success(null) }
    const { session: open, events, sweep } = await opened({ pay }, { store: await storeOf() })
    const asking = await open({ sessionId: 'asking' })
    await asking.execute(call('pay', { to: 'bob' }))
    asking.detach()
    await sweep()
    await eventually(() => events.length > 1, 'the expiry is reported')
    expect(events.map(({ type }) => type)).toEqual(['requested', 'expired'])
  })

  test('a result is owed for its time, and that it is dropped then is a line of the audit', async () => {
    const work = { kind: 'write', background: true, execute: () => success('done') }
    const gate = await opened({ work }, { store: await storeOf(), limits: { owedResultMs: OWED_MS } })
    const { session: open, lines, sweep, isThere } = gate
    const asking = await open({ sessionId: 'asking' })
    expect(await delivered(asking)).toEqual([])
    const { id } = call('work')
    expect(await asking.execute({ id, name: 'work', args: {} })).toMatchObject({ data: { status: 'running' } })
    await eventually(() => lines.some(({ event }) => event === 'tool_execution'), 'the call ends')
    asking.detach()
    const dropped = () => lines.filter(({ event }) => event === 'result_dropped')
    const isDropped = async () => (await sweep(), dropped().length > 0)
    await eventually(isDropped, 'the result is dropped')
    expect(dropped()).toMatchObject([{ sessionId: 'asking', toolId: 'work', callId: id }])
    const [owed] = lines.filter(({ event }) => event === 'tool_execution')
    expect(Date.parse(dropped()[0].at) - Date.parse(owed.at)).toBeGreaterThanOrEqual(OWED_MS)
    expect(gate.registry.getMetrics().work.total.results).toEqual({ dropped: 1 })
    expect(await isThere('asking')).toBe(false)
  })

  test("an act of a principal is known until its window ends, also if none of the principal's sessions is used", async () => {
    const duplicate = { scope: 'principal', windowMs: 60_000, on: 'refuse' }
    const refund = { kind: 'write', requiresConfirmation: false, duplicate, execute: () => success(null) }
    const { session: open, sweep } = await opened({ refund }, { store: await storeOf() })
    const first = await open({ sessionId: 'first', principal: 'ada' })
    expect((await first.execute(call('refund'))).ok).toBe(true)
    first.detach()
    await sweep()
    const second = await open({ sessionId: 'second', principal: 'ada' })
    expect((await second.execute(call('refund'))).error).toMatchObject({
      type: 'CONFLICT',
      details: { reason: 'duplicate', outcome: 'committed' },
    })
  })
})

test('the end of a session is the expiry of its questions', async () => {
  const { session: open, events } = await opened({ pay: { ...PAY, execute: () => success(null) } })
  const session = await open({ sessionId: 'asking', principal: 'ada' })
  for (const to of ['bob', 'cyd']) await session.execute(call('pay', { to }))
  const answered = tokenOf(await session.execute(call('pay', { to: 'dan' })))
  await session.deny(answered)
  await session.end('user_left')
  const expired = events.filter(({ type }) => type === 'expired')
  expect(expired).toHaveLength(2)
  for (const event of expired) expect(event).toMatchObject({ reason: 'session_ended', principal: 'ada' })
  expect(expired.map(({ preview }) => preview)).toEqual(events.slice(0, 2).map(({ preview }) => preview))
})

test('a link that can be used for less than an hour is warned of once', async () => {
  const warnings = []
  const pay = { ...PAY, execute: () => success(null) }
  const slow = { ...pay, confirmation: { ttlMs: 2 * 3_600_000 } }
  const { registry, session: open } = await opened({ pay, slow }, { onLog: warning => warnings.push(warning) })
  const session = await open()
  const link = async (name, to) => {
    await session.execute(call(name, { to }))
    const { id } = (await session.listPending()).at(-1)
    expect(await registry.confirmationLink(id, { baseUrl: 'https://app.example/confirm' })).toContain('https://')
  }
  const ofLinks = () => warnings.filter(({ message }) => message.includes('link'))
  await link('slow', 'ann')
  expect(ofLinks()).toEqual([])
  await link('pay', 'bob')
  await link('pay', 'cyd')
  expect(ofLinks()).toMatchObject([{ level: 'warn', tool: 'pay', message: expect.stringContaining('ttlMs') }])
})

test('approvers have a day, and who asks five minutes, unless the tool says otherwise', async () => {
  const approvers = { roles: ['manager'] }
  const tool = confirmation => ({ ...PAY, confirmation, execute: () => success(null) })
  const tools = { usual: tool({}), approved: tool({ approvers }), hasty: tool({ approvers, ttlMs: 60_000 }) }
  const { session: open } = await opened(tools)
  const session = await open({ principal: 'ada' })
  for (const name of Object.keys(tools)) await session.execute(call(name, { to: 'bob' }))
  const left = (await session.listPending()).map(({ expires }) => Math.round((expires - Date.now()) / 60_000))
  expect(left).toEqual([5, DAY_MS / 60_000, 1])
})
