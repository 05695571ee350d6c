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
    ['remove', 'call_remove_1', 'ran', true, null, 1, {}],
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
  expect(answers[5]).toEqual({ data: { to: 'Bob', card: '***', said: 'the card ***', n: 5 } })
  expect(messages[5].args).toEqual({ to: 'Bob', card: '***' })
  expect(answers.at(-1)).toEqual({ data: true })
  const all = JSON.stringify([messages, answers])
  for (const secret of [CARD, '48151', asked.error.confirmation_request.token]) expect(all).not.toContain(secret)
  expect(messages[0].principal).toBe('Ada L.')
})

const WORD = 'say "né" \\ now\nor never'
const SECRETS = { word: WORD, pin: 48151, keys: ['key-one', 77_123.5], owner: { phone: '555 0100', name: 'Ada' } }
const secret = type => ({ type, 'x-sensitive': true })
const REPEATING = {
  properties: {
    word: secret('string'),
    pin: secret('number'),
    keys: { type: 'array', items: { type: ['string', 'number'], 'x-sensitive': true } },
    owner: { type: 'object', properties: { phone: secret('string'), name: { type: 'string' } } },
    fails: { type: 'boolean' },
  },
  execute: async ({ args }) => {
    const { word, pin, keys, owner, fails } = args
    const message = `not ${word}: ${JSON.stringify(args)}`
    if (fails) return { ok: false, error: { type: 'PERMANENT', message, retryable: false } }
    const said = { [word]: 1, [`of ${pin}`]: [[pin], `${keys[0]}/${keys[1]}`] }
    return { ok: true, data: { said, json: JSON.stringify({ args }), of: owner.name, list: [owner, keys], n: 481 } }
  },
}
const REPEATED = {
  said: { '***': 1, 'of ***': [['***'], '***/***'] },
  json: JSON.stringify({
    args: { word: '***', pin: '~', keys: ['***', '~'], owner: { phone: '***', name: 'Ada' } },
  }).replaceAll('"~"', '***'),
  of: 'Ada',
  list: [{ phone: '***', name: 'Ada' }, ['***', '***']],
  n: 481,
}
/** As a part of each sensitive value is in a text, however that is written. */
const PARTS = ['né', 'never', '48151', 'key-one', '77123', '0100']

const expectNoPart = messages => {
  const seen = JSON.stringify(messages.map(({ args, answer }) => [args, answer]))
  for (const part of PARTS) expect(seen).not.toContain(part)
}

test('values are found at any depth, in names and lists, and in texts of JSON', async () => {
  const { session } = await openGate({ repeating: { kind: 'read', ...REPEATING } })
  const messages = subscribed()
  const text = await session()
  await text.execute({ id: 'call_repeat_1', name: 'repeating', args: SECRETS })
  await text.execute({ id: 'call_repeat_1', name: 'repeating', args: SECRETS })
  await text.execute({ id: 'call_repeat_2', name: 'repeating', args: { ...SECRETS, fails: true } })
  // As a model may write a number.
  const written = JSON.stringify(SECRETS).replace('48151', '48151.0')
  await text.execute({ id: 'call_repeat_3', name: 'repeating', args: written })
  await text.execute({ id: 'call_repeat_4', name: 'repeating', args: { ...SECRETS, keys: WORD } })

  const answers = messages.map(({ answer }) => answer)
  for (const index of [0, 1, 3]) expect(answers[index]).toEqual({ data: REPEATED })
  expect(answers[2].error.message).toMatch(/^not \*\*\*: \{"word":"\*\*\*","pin":\*\*\*,/)
  expect(answers[4].error.type).toBe('VALIDATION')
  expectNoPart(messages)
})

test('a confirmed call is shown by what it ran with; who confirms it again is shown nothing', async () => {
  const asking = { kind: 'write', requiresConfirmation: true, lintAccepted: [], ...REPEATING }
  const { session } = await openGate({ repeating: asking })
  const messages = subscribed()
  const text = await session()
  const asked = await text.execute({ id: 'call_ask_once', name: 'repeating', args: SECRETS })
  const { token } = asked.error.confirmation_request
  const edited = { ...messages[0].args, owner: { phone: '***', name: 'Eve' } }
  await text.confirm(token, { args: edited })
  await text.confirm(token)
  // By the call as a page has it, which shows no secret that could be looked for.
  await text.execute({ id: 'call_ask_again', name: 'repeating', args: { ...SECRETS, fails: true } })
  await text.confirm({ id: 'call_ask_again', name: 'repeating', args: messages[3].args })
  await text.confirm({ id: 'call_ask_again', name: 'repeating', args: { ...SECRETS, fails: true } })

  const [, first, used, , failed, again] = messages
  expect(first.args).toEqual(edited)
  expect(first.answer.data).toMatchObject({ said: REPEATED.said, of: 'Eve', list: [edited.owner, ['***', '***']] })
  expect([used.args, used.answer.error.type]).toEqual([null, 'CONFIRMATION_EXPIRED'])
  expect(failed.args).toEqual(messages[3].args)
  expect(failed.answer.error.message).toContain('"word":"***"')
  expect([again.outcome, again.args, again.answer]).toEqual(['replayed', null, null])
  expectNoPart(messages)
})
