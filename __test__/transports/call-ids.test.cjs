'use strict'
// Ids that come again: another call in a later message, the same call where its message is delivered again.
const { CallIds } = require('../../js/transports/shared/call-ids.js')
const { AnthropicTransport } = require('./support/gate-view.cjs')
const { OpenAIRealtimeTransport } = require('./support/gate-view.cjs')
const { OpenAITransport } = require('./support/gate-view.cjs')
const { seeded } = require('../../fuzz/random.cjs')
const { found } = require('./support/answers.cjs')

/** Ids that say no more than the tool and a number, one constant id, and none. */
const FORMS = [
  ['<tool>:<n>', (tool, at) => `${tool}:${at}`],
  ['functions.<tool>:<n>', (tool, at) => `functions.${tool}:${at}`],
  ['call_<n>', (_tool, at) => `call_${at}`],
  ['tool_call:<n>', (_tool, at) => `tool_call:${at}`],
  ['call_<tool>_<n>', (tool, at) => `call_${tool}_${at}`],
  ['the name', tool => tool],
  ['a constant', () => 'ZsSt4SkIFMRz0HtqT7MTlimNvzlKM896'],
  ['none', () => undefined],
]

const PROTOCOLS = {
  chat: {
    make: () => new OpenAITransport(),
    message: (id, calls) => ({
      id,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            tool_calls: calls.map(({ callId, args }) => ({
              id: callId,
              function: { name: 'kb_search', arguments: args },
            })),
          },
        },
      ],
    }),
    wireIds: transport => transport.assistantMessage.tool_calls.map(({ id }) => id),
    answered: sent => sent.tool_call_id,
  },
  responses: {
    make: () => new OpenAITransport(),
    message: (id, calls) => ({
      id,
      object: 'response',
      status: 'completed',
      output: calls.map(({ callId, args }, at) => ({
        type: 'function_call',
        id: `fc_${id}_${at}`,
        call_id: callId,
        name: 'kb_search',
        arguments: args,
        status: 'completed',
      })),
    }),
    wireIds: transport => transport.assistantMessage.map(({ call_id }) => call_id),
    answered: sent => sent.call_id,
  },
  anthropic: {
    make: () => new AnthropicTransport(),
    message: (id, calls) => ({
      id,
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: calls.map(({ callId, args }) => ({
        type: 'tool_use',
        id: callId,
        name: 'kb_search',
        input: JSON.parse(args),
      })),
    }),
    wireIds: transport => transport.assistantMessage.content.map(({ id }) => id),
    answered: sent => sent?.content[0].tool_use_id,
  },
}
const ARGS = '{"query":"rust"}'
const needsId = name => name !== 'chat'

describe.each(Object.entries(PROTOCOLS))('%s', (name, { make, message, wireIds, answered }) => {
  const forms = FORMS.filter(([form]) => form !== 'none' || !needsId(name))

  test.each(forms)(
    'ids of the form "%s": a call of a later message is another call, answered under its own id',
    (_form, idOf) => {
      const transport = make()
      const ids = ['m1', 'm2', 'm3'].map(messageId => {
        const [call] = transport.receiveToolCalls(message(messageId, [{ callId: idOf('kb_search', 0), args: ARGS }]))
        expect(transport.problem).toBeNull()
        const sent = transport.sendToolResult({ ...call, result: found() })
        expect(answered(sent)).toBe(wireIds(transport)[0])
        expect(wireIds(transport)[0]).toBe(idOf('kb_search', 0) ?? call.id)
        return call.id
      })
      expect(new Set(ids).size).toBe(3)
    },
  )

  test.each(forms)(
    'ids of the form "%s": the host gets the id that is the call\'s own, otherwise one that the core takes for none',
    (_form, idOf) => {
      const transport = make()
      const ids = ['m1', 'm2', 'm3'].map((messageId, at) => {
        const callId = idOf('kb_search', at)
        const [call] = transport.receiveToolCalls(message(messageId, [{ callId, args: ARGS }]))
        transport.sendToolResult({ ...call, result: found() })
        const isOwn =
          callId !== undefined && [0, 1, 2].every(other => other >= at || idOf('kb_search', other) !== callId)
        expect(call.id).toEqual(isOwn ? callId : expect.stringMatching(/^temp_\d+$/))
        return call.id
      })
      expect(new Set(ids).size).toBe(3)
    },
  )

  test('a message that is delivered again runs nothing again', () => {
    const transport = make()
    const whole = () => message('message_4711', [{ callId: 'call_0', args: ARGS }])
    const [call] = transport.receiveToolCalls(whole())
    transport.sendToolResult({ ...call, result: found() })
    const again = transport.receiveToolCalls(whole())
    expect(again.map(({ id }) => id)).toEqual(again.length === 0 ? [] : [call.id])
  })

  test.each(forms)(
    'ids of the form "%s": a message has the same ids when it comes again, whole or in part',
    (_form, idOf) => {
      const transport = make()
      const calls = ['a', 'b', 'c'].map((query, at) => ({
        callId: idOf('kb_search', at),
        args: JSON.stringify({ query }),
      }))
      const read = given => transport.receiveToolCalls(message('message-c0ffee4711', given)).map(({ id }) => id)
      const whole = read(calls)
      expect(new Set(whole).size).toBe(3)
      for (const part of [calls, [calls[1]], [calls[2], calls[0]]])
        expect(whole).toEqual(expect.arrayContaining(read(part)))
    },
  )

  test('two calls of one message with one id are two calls with two answers', () => {
    const transport = make()
    const calls = transport.receiveToolCalls(
      message('m1', [
        { callId: 'call_twin00001', args: '{"query":"a"}' },
        { callId: 'call_twin00001', args: '{"query":"b"}' },
      ]),
    )
    expect(calls.map(({ args }) => args)).toEqual(['{"query":"a"}', '{"query":"b"}'])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    expect(new Set(wireIds(transport)).size).toBe(2)
    expect(wireIds(transport)[0]).toBe('call_twin00001')
  })
})

test.each([
  ['blanks', '{"query": "rust",\n "limit": 3}', { query: 'rust', limit: 3 }],
  ['escapes and numbers', '{"query":"na\\u00efve", "limit": 3.0}', { query: 'naïve', limit: 3 }],
  [
    'blanks in a long text',
    `{"query": "${'long '.repeat(400)}", "limit": 3}`,
    { query: 'long '.repeat(400), limit: 3 },
  ],
])('the message that an SDK put together from the events is the one of the events: %s', (_what, text, input) => {
  const transport = new AnthropicTransport()
  const block = given => ({ type: 'tool_use', id: 'toolu_01A09q90qw90lq917835lq9', name: 'kb_search', input: given })
  const head = { id: 'msg_01XFDUDYJgAACzvnptvVoYEL', type: 'message', role: 'assistant' }
  const events = [
    { type: 'message_start', message: { ...head, content: [] } },
    { type: 'content_block_start', index: 0, content_block: block({}) },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ]
  expect(events.flatMap(event => transport.receiveToolCalls(event))).toHaveLength(1)
  expect(transport.receiveToolCalls({ ...head, stop_reason: 'tool_use', content: [block(input)] })).toEqual([])
})

test('a message without an id whose calls are unanswered is the same message', () => {
  const transport = new OpenAITransport()
  const message = () => ({
    role: 'assistant',
    tool_calls: [{ id: 'call_abcdefgh0', function: { name: 'kb_search', arguments: ARGS } }],
  })
  const [first] = transport.receiveToolCalls(message())
  const [again] = transport.receiveToolCalls(message())
  expect(again).toEqual(first)
  transport.sendToolResult({ ...first, result: found() })
  const [later] = transport.receiveToolCalls(message())
  expect(later.id).not.toBe(first.id)
})

test('Realtime: an id that a later response uses again is another call, and is answered under that id', () => {
  const sent = []
  const transport = new OpenAIRealtimeTransport({ send: event => sent.push(event) })
  const ids = ['r1', 'r2'].map(response => {
    const item = {
      id: `i_${response}`,
      type: 'function_call',
      status: 'completed',
      call_id: 'call_0',
      name: 'kb_search',
      arguments: ARGS,
    }
    const [call] = transport.receiveToolCalls({ type: 'response.output_item.done', response_id: response, item })
    transport.sendToolResult({ ...call, result: found() })
    return call.id
  })
  expect(new Set(ids).size).toBe(2)
  expect(sent.map(({ item }) => item?.call_id).filter(id => id !== undefined)).toEqual(['call_0', 'call_0'])
})

test.each([
  ['an answered call is known after a thousand messages', 998, /^temp_\d+$/],
  ['an answered call is forgotten after two thousand messages', 1999, /^call_7$/],
])('%s', (_what, others, id) => {
  const ids = new CallIds()
  const answeredCall = { id: 'call_7', name: 'first', args: '{}' }
  const read = call => ids.take(null, [call])[0].known.id
  ids.answered(read(answeredCall))
  for (let n = 0; n < others; n += 1) read({ id: `c${n}`, name: `tool_${n}`, args: '{}' })
  // Known, it is another call with an id of its own; forgotten, it is the first call with its id.
  expect(read(answeredCall)).toMatch(id)
})

test('an id of the provider is not the one that another call without an id was given', () => {
  const ids = new CallIds()
  const take = id => ids.take(null, [{ id, name: 'kb_search', args: `{"of":"${id}"}` }])[0].known
  const made = take(null)
  expect(made.id).toMatch(/^temp_\d+$/)
  const given = take(made.id)
  expect(given.id).not.toBe(made.id)
  expect(given.wireId).toBe(made.id)
  const later = take('temp_9')
  expect(later.id).toBe('temp_9')
  const others = Array.from({ length: 20 }, () => take(null).id)
  expect(new Set([made.id, given.id, later.id, ...others]).size).toBe(23)
  expect(ids.get(given.id)).toBe(given)
})

test('a part of a message that is taken later shares no id with the parts before it', () => {
  const ids = new CallIds()
  const call = query => ({ id: 'call_twin00001', name: 'kb_search', args: JSON.stringify({ query }) })
  const first = ids.take(null, [call('a')]).map(({ known }) => known)
  const [second] = ids.take(null, [call('b')], first).map(({ known }) => known)
  expect(first[0].wireId).toBe('call_twin00001')
  expect(second.wireId).toBe(second.id)
})

test('after thousands of messages whose calls have one id, the last message is known', () => {
  const transport = new OpenAITransport()
  for (let count = 0; count < 5000; count += 1) {
    const [call] = transport.receiveToolCalls(
      PROTOCOLS.chat.message(`m${count}`, [{ callId: 'call_constant01', args: ARGS }]),
    )
    transport.sendToolResult({ ...call, result: found() })
  }
  expect(
    transport.receiveToolCalls(PROTOCOLS.chat.message('m4999', [{ callId: 'call_constant01', args: ARGS }])),
  ).toHaveLength(1)
})

test.each([1, 2, 3, 4, 5, 6])('whatever ids its calls have, a message is known when it comes again: seed %i', seed => {
  const below = seeded(seed).below
  const ids = new CallIds()
  const formOf = [n => `call_${n.toString(36)}QxY${n}`, () => 'call_constant01', n => `call_${n % 3}`, () => null]
  const messages = Array.from({ length: 400 }, (_, at) => {
    // A few messages have as many calls as a message may have.
    const count = at % 100 === 7 ? 128 : 1 + below(4)
    const id = `chatcmpl-${seed}-${at}-c0ffee`
    const form = formOf[below(4)]
    const calls = Array.from({ length: count }, (_, nth) => {
      return { id: form(at * 1000 + nth), name: `tool_${below(3)}`, args: JSON.stringify({ query: below(3) }) }
    })
    return { id, calls }
  })
  const given = new Map()
  for (const { id, calls } of messages) {
    const taken = ids.take(id, calls)
    expect(taken.some(({ isAgain }) => isAgain)).toBe(false)
    given.set(
      id,
      taken.map(({ known }) => known.id),
    )
    if (below(2) === 0) for (const { known } of taken) ids.answered(known.id)
    // One that came before, whole or in part, and each call with its id or without.
    const again = messages[below(given.size)]
    const part = again.calls.filter(() => below(4) > 0)
    const repeated = ids.take(
      again.id,
      part.map(call => (below(4) === 0 ? { ...call, id: null } : call)),
    )
    const known = repeated.map(call => call.known.id)
    expect(repeated.every(({ isAgain }) => isAgain)).toBe(true)
    expect(new Set(known).size).toBe(known.length)
    expect(given.get(again.id)).toEqual(expect.arrayContaining(known))
  }
  const all = [...given.values()].flat()
  expect(new Set(all).size).toBe(all.length)
})

test('128 calls of one message with one id, and more after them, each have their answer', () => {
  const transport = new OpenAITransport()
  const calls = Array.from({ length: 128 }, (_, at) => ({ callId: 'kb_search', args: JSON.stringify({ query: at }) }))
  const [first, second] = ['m1-c0ffee4711', 'm2-c0ffee4711'].map(id =>
    transport.receiveToolCalls(PROTOCOLS.chat.message(id, calls)),
  )
  expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(256)
  const answered = [...first, ...second].map(({ id }) => transport.sendToolResult({ id, result: found() }).tool_call_id)
  expect(answered[0]).toBe('kb_search')
  expect(new Set(answered).size).toBe(255)
})
