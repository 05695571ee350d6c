// The session's state as the host sees it, and listeners.
import { createStateController } from '../../index.js'
import { eventually, gateway, openGate } from '../support/gate.mjs'

const says = {
  properties: { intents: { type: 'array' }, data: {} },
  execute: ({ args }) => ({ ok: true, data: args.data, intents: args.intents }),
}
const open = () =>
  openGate({
    says,
    fails: {
      execute: () => {
        throw new Error('x')
      },
    },
    held: { kind: 'read', execute: () => held.passed.then(() => ({ ok: true })) },
  })
let held
beforeEach(() => {
  held = gateway()
})

const controllers = [
  ["a session's", async initial => (await (await open()).session({ state: initial })).state],
  ['one on its own', async initial => createStateController({ mode: 'text', ...initial })],
]

describe.each(controllers)('the state, %s', (_what, make) => {
  test("starts with its built-in fields, and the host's", async () => {
    const state = await make({ cart: { items: [1] } })
    expect(state.getSnapshot()).toEqual({
      mode: 'text',
      isActive: true,
      pendingEndVoiceSession: null,
      pendingMessage: null,
      shouldSuppressAudio: false,
      shouldSuppressTranscript: false,
      cart: { items: [1] },
    })
    expect([state.get('cart'), state.get('nope'), state.get('toString')]).toEqual([
      { items: [1] },
      undefined,
      undefined,
    ])
  })

  test('what is set is read at once, and kept in the history', async () => {
    const state = await make({})
    state.set('theme', 'dark')
    state.set('mode', 'voice')
    expect([state.get('theme'), state.get('mode')]).toEqual(['dark', 'voice'])
    // A controller outside a session adds whether it was active.
    expect(state.history.slice(-2).map(({ isActive: _, ...change }) => change)).toEqual([
      { field: 'theme', value: 'dark', at: expect.stringMatching(/Z$/), by: 'host' },
      { field: 'mode', value: 'voice', at: expect.any(String), by: 'host' },
    ])
  })

  test('values are copies', async () => {
    const cart = { items: [1] }
    const state = await make({})
    state.set('cart', cart)
    cart.items.push(2)
    state.get('cart').items.push(3)
    expect(state.get('cart')).toEqual({ items: [1] })
  })

  test('a snapshot is frozen, all the way down', async () => {
    const snapshot = (await make({ cart: { items: [1] } })).getSnapshot()
    expect(Object.isFrozen(snapshot) && Object.isFrozen(snapshot.cart) && Object.isFrozen(snapshot.cart.items)).toBe(
      true,
    )
  })

  test.each([
    ['isActive', 'no'],
    ['shouldSuppressAudio', 'yes'],
    ['mode', 7],
    ['pendingMessage', 7],
    ['x', undefined],
    ['x', () => 1],
    ['x', 1n],
  ])('set(%p, %p) throws a TypeError and changes nothing', async (field, value) => {
    const state = await make({})
    const before = state.getSnapshot()
    expect(() => state.set(field, value)).toThrow(TypeError)
    expect(state.getSnapshot()).toEqual(before)
  })

  test('a __proto__ is a field like others', async () => {
    const state = await make({})
    state.set('__proto__', { polluted: true })
    expect(state.get('__proto__')).toEqual({ polluted: true })
    expect([{}.polluted, state.getSnapshot().polluted]).toEqual([undefined, undefined])
  })

  test('intents', async () => {
    const state = await make({})
    expect(state.applyIntent({ type: 'SUPPRESS_AUDIO', value: true })).toBe(true)
    expect(state.applyIntent({ type: 'END_VOICE_SESSION' })).toBe(true)
    expect(state.getSnapshot()).toMatchObject({
      shouldSuppressAudio: true,
      pendingEndVoiceSession: {
        after: 'current_turn',
        reason: 'user_requested',
        closingMessage: null,
        textResponse: null,
      },
    })
  })

  test.each([
    [undefined],
    [null],
    ['SUPPRESS_AUDIO'],
    [{}],
    [{ type: 'REBOOT' }],
    [{ type: 'SUPPRESS_AUDIO', value: 'x' }],
    [{ type: 'SUPPRESS_AUDIO', value: 1n }],
    [() => 1],
  ])('the intent %p is refused', async intent => {
    const state = await make({})
    const before = state.getSnapshot()
    expect(state.applyIntent(intent)).toBe(false)
    expect(state.getSnapshot()).toEqual(before)
  })

  test('half a character is replaced', async () => {
    const state = await make({ a: 'cut \ud83d' })
    state.set('b', { 'key \udc00': 'cut \ud83d' })
    expect([state.get('a'), state.get('b')]).toEqual(['cut \ufffd', { 'key \ufffd': 'cut \ufffd' }])
  })
})

describe('state of a session', () => {
  test("is one for its attachments, and the first one's", async () => {
    const { session } = await open()
    const one = await session({ sessionId: 's', state: { n: 1 } })
    const two = await session({ sessionId: 's', state: { n: 2 } })
    one.state.set('m', 5)
    expect([two.state.get('n'), two.state.get('m')]).toEqual([1, 5])
  })

  test('setting the mode changes a value, never the policy', async () => {
    const { session } = await open()
    const s = await session({ mode: 'text' })
    s.state.set('mode', 'voice')
    expect([s.mode, (await s.execute({ name: 'says' })).meta.mode]).toEqual(['text', 'text'])
  })

  test('the end of a voice session takes its words from the result', async () => {
    const { session } = await open()
    const s = await session({ mode: 'voice' })
    const data = { reason: 'done', finalMessage: 'Bye.', textResponse: 'Links' }
    await s.execute({
      id: 'call_goodbye_1',
      name: 'says',
      args: { data, intents: [{ type: 'END_VOICE_SESSION', after: 'farewell_spoken' }] },
    })
    expect(s.state.get('pendingEndVoiceSession')).toEqual({
      after: 'farewell_spoken',
      reason: 'done',
      closingMessage: 'Bye.',
      textResponse: 'Links',
    })
    expect(s.state.history.at(-1)).toMatchObject({
      field: 'pendingEndVoiceSession',
      by: 'says',
      callId: 'call_goodbye_1',
    })
  })

  test('a replay applies no intent again', async () => {
    const { session } = await open()
    const s = await session()
    const call = { id: 'call_intent_1', name: 'says', args: { intents: [{ type: 'SUPPRESS_AUDIO', value: true }] } }
    await s.execute(call)
    s.state.set('shouldSuppressAudio', false)
    expect((await s.execute(call)).meta._idempotent_cache_hit).toBe(true)
    expect(s.state.get('shouldSuppressAudio')).toBe(false)
  })

  test('a pending message is delivered at the next turn, once', async () => {
    const { session } = await open()
    const s = await session()
    await s.execute({ name: 'says', args: { intents: [{ type: 'SET_PENDING_MESSAGE', message: 'mail arrived' }] } })
    expect(s.state.get('pendingMessage')).toBe('mail arrived')
    expect((await s.beginTurn('t1')).pendingMessage).toBe('mail arrived')
    expect([
      (await s.beginTurn('t1')).pendingMessage,
      (await s.beginTurn('t2')).pendingMessage,
      s.state.get('pendingMessage'),
    ]).toEqual([null, null, null])
  })
})

describe('listeners', () => {
  async function heard(options = {}) {
    const calls = []
    const uses = []
    const gate = await open()
    const s = await gate.session({
      onToolCall: call => calls.push(call),
      onCapabilityUsed: use => uses.push(use),
      ...options,
    })
    return { ...gate, s, calls, uses }
  }

  test('onToolCall hears every call as it came, failed or not', async () => {
    const { s, calls } = await heard()
    await s.executeAll([
      { id: 'call_heard_1', name: 'says', args: '{}' },
      { name: 'fails' },
      { name: 'nope', args: { a: 1 } },
      { id: 7, name: 'says', args: '{' },
    ])
    expect(calls.map(({ name, args, id }) => [name, args, id])).toEqual(
      expect.arrayContaining([
        ['says', '{}', 'call_heard_1'],
        ['fails', undefined, null],
        ['nope', { a: 1 }, null],
        ['says', '{', '7'],
      ]),
    )
    expect(calls).toHaveLength(4)
  })

  test('onCapabilityUsed hears a success once, no failure, no replay, no join', async () => {
    const { s, uses } = await heard()
    await s.execute({ id: 'call_used_1', name: 'says' })
    await s.execute({ id: 'call_used_1', name: 'says' })
    await s.execute({ name: 'fails' })
    await s.execute({ name: 'nope' })
    const both = Promise.all([
      s.execute({ id: 'call_used_2', name: 'held' }),
      s.execute({ id: 'call_used_2', name: 'held' }),
    ])
    held.open()
    await both
    expect(uses).toEqual([
      { toolId: 'says', callId: 'call_used_1', turn: 1 },
      { toolId: 'held', callId: 'call_used_2', turn: 1 },
    ])
  })

  test('onCapabilityUsed hears the success of a run whose first caller was cancelled', async () => {
    const { s, uses } = await heard()
    const first = s.execute({ id: 'temp-1', name: 'held' })
    const second = s.execute({ id: 'temp-2', name: 'held' })
    s.cancel('temp-1')
    held.open()
    await first
    expect((await second).ok).toBe(true)
    expect(uses).toHaveLength(1)
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    [
      'is rejected',
      async () => {
        throw new Error('x')
      },
    ],
  ])('a listener that %s harms no call, and is told', async (_how, listener) => {
    const { s, thrown } = await heard({ onToolCall: listener, onCapabilityUsed: listener })
    expect((await s.execute({ name: 'says' })).ok).toBe(true)
    await eventually(() => thrown.length === 2, 'both are told')
    expect(thrown.map(({ message }) => message)).toEqual(['x', 'x'])
  })
})
