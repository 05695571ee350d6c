// The diagnostics channel `toolgate:call`.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

import { afterTest } from '../support/tool-set.mjs'
import { eventLoop, gateway, openGate } from '../support/gate.mjs'

const CARD = '4111111111111111'
const TOOLS = {
  pay: {
    kind: 'read',
    properties: { to: { type: 'string' }, card: { type: 'string', 'x-sensitive': true, pattern: '^[0-9]{16}$' } },
    required: ['to'],
    execute: async ({ args }) => ({ ok: true, data: args.to }),
  },
  outer: {
    kind: 'read',
    execute: async ({ callTool }) => ({ ok: true, data: (await callTool('pay', { to: 'in' })).ok }),
  },
  remove: { kind: 'write', requiresConfirmation: true, lintAccepted: [], execute: async () => ({ ok: true, data: 1 }) },
  echo: {
    kind: 'write',
    requiresConfirmation: true,
    lintAccepted: [],
    properties: { to: { type: 'string' }, card: { type: 'string', 'x-sensitive': true } },
    execute: async ({ args: { card, to } }) => ({ ok: true, data: { to, card, said: `the card ${card}`, n: 5 } }),
  },
  lookup: {
    kind: 'read',
    properties: { pin: { type: 'number', 'x-sensitive': true }, fails: { type: 'boolean' } },
    execute: async ({ args: { pin, fails } }) =>
      fails
        ? { ok: false, error: { type: 'PERMANENT', message: `no ${pin} here`, retryable: false } }
        : { ok: true, data: { list: [pin, `${pin}!`], pin: 1, [`k${pin}`]: null } },
  },
  flaky: {
    kind: 'read',
    retry: { maxAttempts: 2, baseDelayMs: 1 },
    execute: async () => ({ ok: false, error: { type: 'TRANSIENT', message: 'not now', retryable: true } }),
  },
}

/** The messages of the channel while the test runs. */
function subscribed() {
  const messages = []
  const listener = message => messages.push(message)
  subscribe('toolgate:call', listener)
  afterTest(() => unsubscribe('toolgate:call', listener))
  return messages
}

const MEMBERS = ['toolId', 'callId', 'outcome', 'ok', 'errorType', 'attempts', 'args']
const rowsOf = messages => messages.map(message => MEMBERS.map(member => message[member]))

test('a call, its replay, and refused calls', async () => {
  const { session, registry } = await openGate(TOOLS)
  const messages = subscribed()
  const text = await session({ sessionId: 'listened_to' })
  const args = { to: 'Ada', card: CARD }
  await text.execute({ id: 'call_pay_first', name: 'pay', args })
  await text.execute({ id: 'call_pay_first', name: 'pay', args })
  await text.execute({ id: 'call_pay_wrong', name: 'pay', args: { to: {}, card: CARD } })
  await text.execute({ id: 'call_made_up_', name: 'made_up', args })
  await text.execute({ id: 'call_flaky_on', name: 'flaky' })

  const shown = { to: 'Ada', card: '***' }
  expect(rowsOf(messages)).toEqual([
    ['pay', 'call_pay_first', 'ran', true, null, 1, shown],
    ['pay', 'call_pay_first', 'replayed', true, null, expect.any(Number), shown],
    ['pay', 'call_pay_wrong', 'refused', false, 'VALIDATION', 0, null],
    ['made_up', 'call_made_up_', 'refused', false, 'NOT_FOUND', 0, null],
    ['flaky', 'call_flaky_on', 'ran', false, 'TRANSIENT', 2, {}],
  ])
  expect(messages[0]).toMatchObject({ sessionId: 'listened_to', mode: 'text', turn: 1, durationMs: expect.any(Number) })
  expect(messages[0].toolVersion).toBe(registry.getToolMetadata('pay').version)
  expect(JSON.stringify([...messages, ...messages.map(message => message.args)])).not.toContain(CARD)
})

test('an equal call that is running is joined', async () => {
  const { open, passed } = gateway()
  const { session } = await openGate({ wait: { kind: 'read', execute: () => passed } })
  const messages = subscribed()
  const text = await session()
  const calls = [1, 2].map(() => text.execute({ id: 'call_joined_1', name: 'wait' }))
  await eventLoop()
  open({ ok: true, data: 'both' })
  await Promise.all(calls)
  expect(messages.map(({ outcome }) => outcome).sort()).toEqual(['ran', 'replayed'])
})

test('calls of handlers, questions, confirmations, batches, and calls of `executeTool`', async () => {
  const { session, registry } = await openGate(TOOLS)
  const messages = subscribed()
  const text = await session()
  await text.execute({ id: 'call_outer_1', name: 'outer' })
  const asked = await text.execute({ id: 'call_remove_1', name: 'remove' })
  await text.confirm(asked.error.confirmation_request.token)
  await text.executeAll([
    { id: 'call_batch_01', name: 'pay', args: { to: 'one' } },
    { id: 'call_batch_02', name: 'pay', args: { to: 2n } },
  ])
  await registry.executeTool('pay', { args: { to: 'direct' } })

  expect(rowsOf(messages)).toEqual([
    ['pay', null, 'ran', true, null, 1, { to: 'in' }],
    ['outer', 'call_outer_1', 'ran', true, null, 1, {}],
    ['remove', 'call_remove_1', 'asked', false, 'CONFIRMATION_REQUIRED', 0, {}],
    ['remove', 'call_remove_1', 'ran', true, null, 1, null],
    ['pay', 'call_batch_01', 'ran', true, null, 1, { to: 'one' }],
    ['pay', 'call_batch_02', 'refused', false, 'VALIDATION', 0, null],
    ['pay', messages.at(-1).callId, 'ran', true, null, 1, { to: 'direct' }],
  ])
  expect(messages[0].parentCallId).toBe('call_outer_1')
  expect(messages.at(-1).sessionId).not.toBe(text.sessionId)
})

test('the answer, without what is sensitive', async () => {
  const { session } = await openGate(TOOLS)
  const messages = subscribed()
  const text = await session({ principal: 'Ada L.' })
  await text.execute({ id: 'call_lookup_1', name: 'lookup', args: { pin: 48151 } })
  await text.execute({ id: 'call_lookup_2', name: 'lookup', args: { pin: 48151, fails: true } })
  await text.execute({ id: 'call_lookup_3', name: 'lookup', args: { pin: 'x48151' } })
  await text.execute({ id: 'call_pay_open', name: 'pay', args: { to: 'Ada', card: CARD } })
  const asked = await text.execute({ id: 'call_echo_asks', name: 'echo', args: { to: 'Bob', card: CARD } })
  await text.confirm(asked.error.confirmation_request.token)
  await text.execute({ id: 'call_outer_2', name: 'outer' })

  const answers = messages.map(({ answer }) => answer)
  expect(answers.slice(0, 2)).toEqual([
    { data: { list: ['***', '***!'], pin: '***', 'k***': null } },
    { error: { type: 'PERMANENT', message: 'no *** here' } },
  ])
  expect(answers[2].error.type).toBe('VALIDATION')
  expect(answers[3]).toEqual({ data: 'Ada' })
  expect(answers[4].error).toMatchObject({ type: 'CONFIRMATION_REQUIRED', preview: expect.stringContaining('Bob') })
  // Its arguments are in the question alone.
  expect(answers[5]).toBeNull()
  expect(answers.at(-1)).toEqual({ data: true })
  const all = JSON.stringify([messages, answers])
  for (const secret of [CARD, '48151', asked.error.confirmation_request.token]) expect(all).not.toContain(secret)
  expect(messages[0].principal).toBe('Ada L.')
})
