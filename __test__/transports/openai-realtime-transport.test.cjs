'use strict'
// The Realtime API's events: which calls run, which are cancelled, and when the model is asked to go on.
const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { OpenAIRealtimeTransport } = require('./support/gate-view.cjs')
const { ToolTransport } = require('../../js/transports/transport.js')
const { found, needsConfirmation } = require('./support/answers.cjs')
const { HOSTILE, framesOf } = require('./support/hostile-values.cjs')

const item = (call_id, rest = {}) => ({
  id: 'item_1',
  type: 'function_call',
  status: 'completed',
  call_id,
  name: 'kb_search',
  arguments: '{"query":"rust"}',
  ...rest,
})
const created = (id = 'resp_1') => ({ type: 'response.created', response: { id, status: 'in_progress', output: [] } })
const itemDone = (call_id, rest, response_id = 'resp_1') => ({
  type: 'response.output_item.done',
  response_id,
  item: item(call_id, rest),
})
const done = (status = 'completed', output = [], id = 'resp_1') => ({
  type: 'response.done',
  response: { id, status, output },
})
const argumentsDone = call_id => ({
  type: 'response.function_call_arguments.done',
  response_id: 'resp_1',
  call_id,
  name: 'kb_search',
  arguments: '{"query":"rust"}',
})
const speech = { type: 'input_audio_buffer.speech_started', audio_start_ms: 100, item_id: 'item_user' }
const call = (id, args = '{"query":"rust"}') => ({ id, name: 'kb_search', args })
const output = call_id => ({
  type: 'conversation.item.create',
  item: { type: 'function_call_output', call_id, output: JSON.stringify(found()) },
})
const CREATE = { type: 'response.create', event_id: expect.stringMatching(/^toolgate_\d+$/) }

function isWritable(value) {
  try {
    return JSON.stringify([value]) !== ''
  } catch {
    return false
  }
}

let sent
let transport
beforeEach(() => {
  sent = []
  transport = new OpenAIRealtimeTransport({ send: event => sent.push(event) })
})
const receiveAll = (...events) => events.flatMap(event => transport.receiveToolCalls(event))
const answer = id => transport.sendToolResult({ id, name: 'kb_search', result: found() })

test('is a ToolTransport', () => {
  expect(transport).toBeInstanceOf(ToolTransport)
})

describe('calls', () => {
  test('run only on output_item.done with the status completed', () => {
    expect(receiveAll(created(), itemDone('call_a'))).toEqual([call('call_a')])
    for (const status of ['incomplete', 'in_progress', 'a_status_of_tomorrow']) {
      expect(receiveAll(itemDone(`call_${status}`, { status }))).toEqual([])
      expect(transport.problem).toBe(`\`kb_search\` not run: it ended with \`${status}\``)
    }
    expect(receiveAll(itemDone('call_d', { status: undefined }))).toEqual([])
    expect(transport.problem).toBe('`kb_search` not run: it has no status')
  })

  test('never run on function_call_arguments.done, which cancelled responses send too', () => {
    expect(
      receiveAll(created(), argumentsDone('call_a'), itemDone('call_a', { status: 'incomplete' }), done('cancelled')),
    ).toEqual([])
    expect(transport.problem).toBeNull()
  })

  test('are one call where response.done repeats the item', () => {
    expect(receiveAll(created(), itemDone('call_a'), itemDone('call_a'), done('completed', [item('call_a')]))).toEqual([
      call('call_a'),
    ])
    expect(transport.problem).toBeNull()
  })

  test('go on with their arguments as they came: the gate judges them', () => {
    const texts = ['{"query":"ru', 'not json', '', '[1]', '{"a":"\\u00e4\\n"}']
    const events = texts.map((text, index) => itemDone(`call_${index}`, { arguments: text }))
    expect(receiveAll(created(), ...events).map(({ args }) => args)).toEqual(texts)
  })

  test.each([
    ['text', JSON.stringify],
    ['bytes', event => Buffer.from(JSON.stringify(event))],
    ['a view', event => new TextEncoder().encode(JSON.stringify(event))],
  ])('are read from a frame as %s', (_what, form) => {
    const frame = form(itemDone('call_a'))
    expect(transport.receiveToolCalls(frame)).toEqual([call('call_a')])
    expect(transport.receiveCancellations(frame)).toEqual([])
    expect(transport.problem).toBeNull()
  })

  test('are not lost where the host asks for cancellations first, or for those of a later frame', () => {
    const [first, second] = [itemDone('call_a'), itemDone('call_b')]
    expect(transport.receiveCancellations(first)).toEqual([])
    expect(transport.receiveCancellations(second)).toEqual([])
    expect(transport.receiveToolCalls(second)).toEqual([call('call_a'), call('call_b')])
    expect(receiveAll(first, second)).toEqual([])
  })

  test('without an id or a name are not run, which is a problem', () => {
    for (const rest of [{ call_id: '' }, { name: undefined }, { call_id: 7 }]) {
      expect(receiveAll(itemDone('call_x', rest))).toEqual([])
      expect(transport.problem).toMatch(/not run: it can't be answered without `call_id` and `name`/)
    }
  })
})

describe('answers', () => {
  test('are sent as text to a WebSocket, and as events to a client', () => {
    for (const [client, read] of [
      [{ readyState: 1 }, JSON.parse],
      [{ socket: { readyState: 1 } }, event => event],
    ]) {
      const sent = []
      const transport = new OpenAIRealtimeTransport({ ...client, send: event => sent.push(read(event)) })
      for (const event of [created(), itemDone('call_a'), done()]) transport.receiveToolCalls(event)
      transport.sendToolResult({ ...call('call_a'), result: found() })
      transport.updateTools([])
      expect(sent.map(({ type }) => type)).toEqual([output().type, CREATE.type, 'session.update'])
    }
  })

  test('of one response are all sent, then exactly one response.create', () => {
    receiveAll(created(), itemDone('call_a'), itemDone('call_b'), done())
    answer('call_b')
    expect(sent).toEqual([output('call_b')])
    expect(answer('call_a')).toEqual([output('call_a'), CREATE])
    expect(sent).toEqual([output('call_b'), output('call_a'), CREATE])
  })

  test('that are there before the response is over ask the model when it is', () => {
    receiveAll(created(), itemDone('call_a'))
    answer('call_a')
    receiveAll(itemDone('call_b'))
    answer('call_b')
    expect(sent).toEqual([output('call_a'), output('call_b')])
    receiveAll(done('completed', [item('call_a'), item('call_b')]))
    expect(sent.slice(2)).toEqual([CREATE])
  })

  test('ask the model once, also where two responses wait and a third is being made', () => {
    receiveAll(created('resp_1'), itemDone('call_a'), done())
    receiveAll(created('resp_2'), itemDone('call_b', { arguments: '{}' }, 'resp_2'), done('completed', [], 'resp_2'))
    receiveAll(created('resp_3'))
    answer('call_a')
    answer('call_b')
    expect(sent).toEqual([output('call_a'), output('call_b')])
    receiveAll(done('completed', [], 'resp_3'))
    expect(sent.slice(2)).toEqual([CREATE])
  })

  test('ask again after the response that came before, where the service refused the second one', () => {
    receiveAll(created(), itemDone('call_a'), done())
    answer('call_a')
    const refused = { type: 'error', error: { code: 'conversation_already_has_active_response', message: 'busy' } }
    receiveAll(refused, refused)
    expect(sent).toEqual([output('call_a'), CREATE])
    receiveAll(done('completed', [], 'resp_2'))
    expect(sent).toEqual([output('call_a'), CREATE, CREATE])
  })

  test('of a cancelled response are sent without response.create', () => {
    receiveAll(created(), itemDone('call_a'))
    const end = done('cancelled', [item('call_a')])
    expect(receiveAll(end)).toEqual([])
    expect(transport.receiveCancellations(end)).toEqual(['call_a'])
    answer('call_a')
    expect(sent).toEqual([output('call_a')])
  })

  test('are sent once for a call', () => {
    receiveAll(created(), itemDone('call_a'), done())
    answer('call_a')
    expect(answer('call_a')).toEqual([])
    expect(sent).toEqual([output('call_a'), CREATE])
  })

  test('can be sent again where the socket refused them', () => {
    let isOpen = false
    const refusing = new OpenAIRealtimeTransport({
      send: event => {
        if (!isOpen) throw new Error('closed')
        sent.push(event)
      },
    })
    refusing.receiveToolCalls(itemDone('call_a'))
    expect(() => refusing.sendToolResult({ ...call('call_a'), result: found() })).toThrow('closed')
    isOpen = true
    refusing.sendToolResult({ ...call('call_a'), result: found() })
    expect(sent).toEqual([output('call_a')])
    isOpen = false
    expect(refusing.receiveToolCalls(done())).toEqual([])
    expect(refusing.problem).toBe('nothing could be sent: closed')
  })

  test('carry the full ToolResponse without its token', () => {
    receiveAll(itemDone('call_a'))
    transport.sendToolResult({ id: 'call_a', name: 'calendar_create_event', result: needsConfirmation() })
    const { token, ...request } = needsConfirmation().error.confirmation_request
    expect(JSON.stringify(sent)).not.toContain(token)
    const error = { ...needsConfirmation().error, confirmation_request: request }
    expect(JSON.parse(sent[0].item.output)).toEqual({ ...needsConfirmation(), error })
  })

  test.each([[null], [undefined], [''], [7]])('throw where the id is %p, and where there is no ToolResponse', id => {
    expect(() => transport.sendToolResult({ id, name: 'kb_search', result: found() })).toThrow(/`id`/)
    expect(() => transport.sendToolResult({ id: 'call_a', name: 'kb_search', result: {} })).toThrow(/ToolResponse/)
    expect(sent).toEqual([])
  })
})

describe('a user who starts to speak', () => {
  test('cancels the running calls, once, and nobody asks the model', () => {
    receiveAll(created(), itemDone('call_a'), itemDone('call_b'), done())
    answer('call_a')
    expect(transport.receiveCancellations(speech)).toEqual(['call_b'])
    expect(transport.receiveToolCalls(speech)).toEqual([])
    expect(transport.receiveCancellations({ ...speech })).toEqual([])
    answer('call_b')
    expect(sent).toEqual([output('call_a'), output('call_b')])
  })

  test('cancels in the order in which the calls came', () => {
    receiveAll(created(), itemDone('call_a'), itemDone('call_b'), itemDone('call_c'))
    expect(transport.receiveCancellations(speech)).toEqual(['call_a', 'call_b', 'call_c'])
  })

  test('takes back a response.create that waits', () => {
    receiveAll(created(), itemDone('call_a'), done(), created('resp_2'))
    answer('call_a')
    receiveAll(speech, done('cancelled', [], 'resp_2'))
    expect(sent).toEqual([output('call_a')])
  })

  test('does not touch the next response', () => {
    receiveAll(
      created(),
      speech,
      done('cancelled'),
      created('resp_2'),
      itemDone('call_b', {}, 'resp_2'),
      done('completed', [], 'resp_2'),
    )
    answer('call_b')
    expect(sent).toEqual([output('call_b'), CREATE])
  })
})

describe('what is no event', () => {
  test.each([
    ['no JSON', 'hello', /can't be read/],
    ['cut', JSON.stringify(itemDone('call_a')).slice(0, -9), /can't be read/],
    ['a list', '[]', /must be a JSON object, not array/],
    ['absurdly nested', '['.repeat(100_000), /can't be read/],
    ['absurdly long', Buffer.alloc(65 * 1024 * 1024, 0x20), /bytes, more than/],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    [
      'an object that throws',
      Object.defineProperty({}, 'type', {
        get: () => {
          throw new Error('no type here')
        },
      }),
      /can't be handled: no type here/,
    ],
    ['nothing', null, /must be an object, text or bytes, not null/],
    ['without a type', {}, /no `type`/],
  ])('(%s) gives no calls and a problem, and the next frame is read', (_what, event, problem) => {
    expect(transport.receiveToolCalls(event)).toEqual([])
    expect(transport.problem).toMatch(problem)
    expect(transport.receiveCancellations(event)).toEqual([])
    expect(receiveAll(itemDone('call_a'))).toEqual([call('call_a')])
    expect(transport.problem).toBeNull()
  })

  test('never throws, whatever stands where', () => {
    const frames = framesOf([
      value => value,
      type => ({ type }),
      value => ({ type: 'response.output_item.done', item: value }),
      name => itemDone('call_x', { name: typeof name === 'string' ? null : name }),
      call_id => itemDone('call_x', { call_id: typeof call_id === 'string' ? null : call_id }),
      status => itemDone('call_x', { status }),
      response => ({ type: 'response.done', response }),
      outputs => done('completed', outputs),
      error => ({ type: 'error', error }),
      response => ({ type: 'response.created', response }),
    ])
    expect(
      frames.flatMap(frame => [...transport.receiveToolCalls(frame), ...transport.receiveCancellations(frame)]),
    ).toEqual([])
  })

  // What can't be written as JSON is no event of a socket.
  test.each(HOSTILE.filter(isWritable).map(value => [value]))(
    'arguments of any kind come to the gate as text',
    args => {
      const [seen] = receiveAll(itemDone('call_a', { arguments: args }))
      expect(typeof seen.args).toBe('string')
    },
  )

  test('an error of the service is told in its words', () => {
    receiveAll({
      type: 'error',
      error: { type: 'invalid_request_error', code: 'unknown_parameter', message: 'Unknown parameter' },
    })
    expect(transport.problem).toBe(
      'the service reports an error: invalid_request_error: unknown_parameter: Unknown parameter',
    )
  })

  test('that a cancelled response had ended meanwhile is no problem', () => {
    receiveAll({ type: 'error', error: { type: 'invalid_request_error', code: 'response_cancel_not_active' } })
    expect(transport.problem).toBe(null)
  })

  test('a failed response is told, and its finished calls are answered', () => {
    const response = { id: 'resp_1', status: 'failed', status_details: { error: { code: 'server_error' } } }
    receiveAll(created(), itemDone('call_a'), { type: 'response.done', response })
    expect(transport.problem).toBe('the response failed: server_error')
    answer('call_a')
    expect(sent).toEqual([output('call_a'), CREATE])
  })
})

describe('a call that only response.done lists', () => {
  const listed = (...ids) => ids.map(id => item(id))

  test('runs once, and the model is asked to go on after its answer', () => {
    expect(receiveAll(created(), done('completed', listed('call_a')))).toEqual([call('call_a')])
    expect(transport.problem).toBe(null)
    expect(receiveAll(done('completed', listed('call_a')))).toEqual([])
    answer('call_a')
    expect(sent).toEqual([output('call_a'), CREATE])
  })

  test('is not run again if its item came before, or comes later', () => {
    const events = [created(), itemDone('call_a'), done('completed', listed('call_a', 'call_b')), itemDone('call_b')]
    expect(receiveAll(...events)).toEqual([call('call_a'), call('call_b')])
    answer('call_a')
    expect(sent).toEqual([output('call_a')])
    answer('call_b')
    expect(sent).toEqual([output('call_a'), output('call_b'), CREATE])
  })

  test.each(['cancelled', 'failed', 'incomplete'])('is not run if the response is %s', status => {
    expect(receiveAll(created(), done(status, listed('call_a')))).toEqual([])
  })

  test('is not run if it is incomplete itself', () => {
    expect(receiveAll(created(), done('completed', [item('call_a', { status: 'incomplete' })]))).toEqual([])
  })

  test('is read from text and from bytes', () => {
    const text = JSON.stringify(done('completed', listed('call_a', 'call_b')))
    expect(receiveAll(text, Buffer.from(text))).toEqual([call('call_a'), call('call_b')])
  })

  test.each([[[null]], [['x']], [{}], ['x'], [[{ type: 'function_call' }]]])('a hostile list %j runs nothing', list => {
    expect(receiveAll(done('completed', list))).toEqual([])
  })
})

const corpus = process.env.TOOLGATE_CORPUS ?? join(__dirname, '../../../shared/corpus')
const file = join(corpus, 'wire/openai-6.49.0.jsonl')
const present = existsSync(file)
if (!present) console.log(`skipped: no frames at ${file}`)

;(present ? test : test.skip)('recorded server events, whose call came by response.done alone, run it once', () => {
  const events = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const frames = events.filter(({ what }) => what === 'realtime-wss server->client').map(({ json }) => json)
  const listed = frames
    .filter(({ type, response }) => type === 'response.done' && response.status === 'completed')
    .flatMap(({ response }) => response.output)
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id }) => call_id)
  expect(frames.length).toBeGreaterThan(10)
  expect(listed.length).toBeGreaterThan(0)
  const run = () => frames.flatMap(frame => receiveAll(frame)).map(({ id }) => id)
  expect([run(), run()]).toEqual([[...new Set(listed)], []])
})
