'use strict'
// GPT-Live: which delegations and calls are given, and what is sent for them.
const { OpenAILiveTransport } = require('./support/gate-view.cjs')
const { ToolTransport } = require('../../js/transports/transport.js')
const { TOKEN, found, needsConfirmation } = require('./support/answers.cjs')
const { HOSTILE, framesOf } = require('./support/hostile-values.cjs')

const delegated = (id, rest = {}, offset_ms = 4600) => ({
  type: 'session.delegation.created',
  event_id: 'event_1',
  offset_ms,
  delegation: { id, type: 'delegation', target: 'client', ...rest },
})
const heard = (delta, start_ms = 0, end_ms = start_ms + 400) => ({
  type: 'session.input_transcript.delta',
  delta,
  start_ms,
  end_ms,
})
const said = delta => ({ type: 'session.output_transcript.delta', delta, start_ms: 0, end_ms: 0 })
const nested = (event, delegation_id = 'dlg_1') => ({ type: 'response.event', event_id: 'e', delegation_id, event })
const item = (call_id, rest = {}) => ({
  id: `fc_${call_id}`,
  type: 'function_call',
  status: 'completed',
  call_id,
  name: 'kb_search',
  arguments: '{"query":"rust"}',
  ...rest,
})
/** The events of a response, as the service streams them: its snapshots have no output. */
const response = (id, items, status = 'completed') => [
  { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
  ...items.flatMap((each, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...each, arguments: '', status: 'in_progress' } },
    { type: 'response.function_call_arguments.delta', output_index, item_id: each.id, delta: each.arguments },
    { type: 'response.output_item.done', output_index, item: each },
  ]),
  { type: `response.${status}`, response: { id, status, output: [] } },
]
const call = (id, args = '{"query":"rust"}') => ({ id, name: 'kb_search', args })
const EVENT_ID = expect.stringMatching(/^toolgate_\d+$/)
const append = (kind, content, delegation_id = 'dlg_1') => ({
  type: `session.${kind}.append`,
  delegation_id,
  content,
  event_id: EVENT_ID,
})
const output = call_id => ({
  type: 'response.item.create',
  item: { type: 'function_call_output', call_id, output: JSON.stringify(found()) },
  event_id: EVENT_ID,
})
const CREATE = { type: 'response.create', event_id: EVENT_ID }

let sent
let transport
beforeEach(() => {
  sent = []
  transport = new OpenAILiveTransport({ send: event => sent.push(event) })
})
const callsOf = events => events.flatMap(event => transport.receiveToolCalls(event))
const delegationsOf = events => events.flatMap(event => transport.receiveDelegations(event))
const answer = id => transport.sendToolResult({ id, name: 'kb_search', result: found() })

test('is a ToolTransport, and needs a client that sends', () => {
  expect(transport).toBeInstanceOf(ToolTransport)
  for (const client of [undefined, null, {}, { send: 1 }])
    expect(() => new OpenAILiveTransport(client)).toThrow(TypeError)
})

describe('delegations', () => {
  test('have the words since the delegation before, and those that were transcribed late', () => {
    const events = [heard('Is the staging', 1000), heard(' environment', 2000), delegated('dlg_1')]
    expect(delegationsOf(events)).toEqual([{ id: 'dlg_1', transcript: 'Is the staging environment', offsetMs: 4600 }])
    delegationsOf([heard(' healthy?', 3000), said('One moment.'), heard('And production?', 6000)])
    expect(transport.transcriptOf('dlg_1')).toBe('Is the staging environment healthy?')
    expect(delegationsOf([delegated('dlg_2', {}, 7000)])).toEqual([
      { id: 'dlg_2', transcript: 'And production?', offsetMs: 7000 },
    ])
    expect(transport.transcriptOf('dlg_3')).toBe('')
    expect(transport.conversation).toEqual([
      { role: 'user', text: 'Is the staging environment healthy?' },
      { role: 'assistant', text: 'One moment.' },
      { role: 'user', text: 'And production?' },
    ])
  })

  test('are given once, however often they come, also after their answer', () => {
    expect(delegationsOf([delegated('dlg_1'), delegated('dlg_1'), { ...delegated('dlg_1') }])).toHaveLength(1)
    transport.sendAnswer({ id: 'dlg_1', commentary: 'Done.' })
    expect(delegationsOf([delegated('dlg_1')])).toEqual([])
    expect(transport.problem).toBeNull()
  })

  test('that repeat earlier words under a new id come without words', () => {
    const given = delegationsOf([heard('Book it'), delegated('dlg_1'), delegated('dlg_2'), delegated('dlg_3')])
    expect(given.map(({ id, transcript }) => [id, transcript])).toEqual([
      ['dlg_1', 'Book it'],
      ['dlg_2', ''],
      ['dlg_3', ''],
    ])
  })

  test('to the service are not given; to an unknown place they are a problem', () => {
    expect(delegationsOf(['responses', 'decisions'].map(target => delegated('dlg_1', { target })))).toEqual([])
    expect(transport.problem).toBeNull()
    expect(delegationsOf([delegated('dlg_1', { target: 'tomorrow' })])).toEqual([])
    expect(transport.problem).toBe('a delegation to `tomorrow` is not given')
    expect(delegationsOf([delegated(undefined)])).toEqual([])
    expect(transport.problem).toBe("a delegation without `id` is not given: it can't be answered")
  })

  test('are read with the calls, in any order, from text and bytes', () => {
    const frame = Buffer.from(JSON.stringify(delegated('dlg_1')))
    expect(transport.receiveToolCalls(frame)).toEqual([])
    expect(transport.receiveCancellations(frame)).toEqual([])
    expect(transport.receiveDelegations(frame)).toHaveLength(1)
    expect(transport.receiveDelegations(JSON.stringify(delegated('dlg_2')))).toHaveLength(1)
    expect(transport.receiveToolCalls(delegated('dlg_3'))).toEqual([])
    // The host passed another event before it asked for the delegation.
    expect(delegationsOf([heard('x')]).map(({ id }) => id)).toEqual(['dlg_3'])
  })
})

describe('an answer to a delegation', () => {
  beforeEach(() => delegationsOf([delegated('dlg_1')]))

  test('is what the model knows, then what it says', () => {
    const events = transport.sendAnswer({
      id: 'dlg_1',
      commentary: 'Staging is healthy.',
      thinking: 'Checked 3 hosts.',
    })
    expect(events).toEqual([append('thinking', 'Checked 3 hosts.'), append('commentary', 'Staging is healthy.')])
    expect(sent).toEqual(events)
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(2)
  })

  test('is the last one, unless it says that another follows', () => {
    expect(transport.awaits('dlg_1')).toBe(true)
    expect(transport.sendAnswer({ id: 'dlg_1', thinking: 'Looking.', willContinue: true })).toHaveLength(1)
    expect(transport.awaits('dlg_1')).toBe(true)
    expect(transport.sendAnswer({ id: 'dlg_1', commentary: 'Done.' })).toHaveLength(1)
    expect(transport.awaits('dlg_1')).toBe(false)
    expect(transport.sendAnswer({ id: 'dlg_1', commentary: 'Done.' })).toEqual([])
    expect(sent).toHaveLength(2)
  })

  test('to an unknown delegation is not sent', () => {
    expect(transport.sendAnswer({ id: 'dlg_of_another_session', commentary: 'Done.' })).toEqual([])
    expect(sent).toEqual([])
  })

  test('must say something: a delegation without a word would be a silence', () => {
    for (const texts of [{}, { commentary: ' \n' }, { commentary: 7 }, { thinking: null }])
      expect(() => transport.sendAnswer({ id: 'dlg_1', ...texts })).toThrow(TypeError)
    expect(() => transport.sendAnswer({ commentary: 'x' })).toThrow('`id` must be the id from `receiveDelegations`')
    expect(transport.awaits('dlg_1')).toBe(true)
  })

  test('that the socket refused can be given again', () => {
    const broken = new OpenAILiveTransport({
      send() {
        throw new Error('closed')
      },
    })
    broken.receiveDelegations(delegated('dlg_1'))
    expect(() => broken.sendAnswer({ id: 'dlg_1', commentary: 'Done.' })).toThrow('closed')
    expect(broken.awaits('dlg_1')).toBe(true)
  })

  const contentsOf = commentary => transport.sendAnswer({ id: 'dlg_1', commentary }).map(({ content }) => content)

  test('is cut at the end of a sentence, and none of it is lost', () => {
    const sentences = Array.from({ length: 40 }, (_, n) => `Room ${n} costs ${n}.50 euros "per night." Is it free? `)
    const contents = contentsOf(sentences.join(''))
    expect(contents.join(' ')).toBe(sentences.join('').trim())
    expect(contents.length).toBeGreaterThan(3)
    for (const content of contents) expect(content).toMatch(/[?."]$/)
  })

  test.each([
    ['without a sentence', 'word '.repeat(300), 3],
    ['without a blank', 'x'.repeat(1200), 3],
    ['in a script of three bytes', '会議は明日です。'.repeat(60), 3],
    ['of pairs of surrogates', '😀'.repeat(300), 3],
    ['with a cut pair', `${'\ud83d'.repeat(400)}`, 3],
  ])('%s has pieces of at most 500 bytes', (_what, text, count) => {
    const contents = contentsOf(text)
    expect(contents).toHaveLength(count)
    expect(contents.join('').replaceAll(' ', '')).toBe(text.toWellFormed().replaceAll(' ', ''))
    for (const content of contents) expect(Buffer.byteLength(content)).toBeLessThanOrEqual(500)
  })

  test.each(['a sentence. ', 'x', '日', '\u200d', '."', ' '.repeat(400) + 'y'])(
    'of any length is at most 16 appends, the last of which says that it is shortened: %j',
    piece => {
      const contents = contentsOf(piece.repeat(8_000_000 / piece.length))
      expect(contents.length).toBeLessThanOrEqual(16)
      expect(contents.at(-1)).toMatch(/ … \(shortened\)$/)
      for (const content of contents) expect(Buffer.byteLength(content)).toBeLessThanOrEqual(500)
    },
  )
})

describe('calls of the Responses backend', () => {
  const all = (events, delegation) => callsOf(events.map(event => nested(event, delegation)))

  test('are given when their response is completed', () => {
    const [end, ...events] = response('resp_1', [item('call_aaaaaaaa1'), item('call_aaaaaaaa2')]).reverse()
    expect(all(events.reverse())).toEqual([])
    expect(all([end])).toEqual([call('call_aaaaaaaa1'), call('call_aaaaaaaa2')])
    expect(transport.problem).toBeNull()
  })

  test.each(['incomplete', 'failed', 'cancelled'])('are not given when it is %s', status => {
    expect(all(response('resp_1', [item('call_aaaaaaaa1')], status))).toEqual([])
    expect(transport.problem).toMatch(/`kb_search` not run/)
  })

  test('run once: events, responses and ids may come twice', () => {
    const events = response('resp_1', [item('call_aaaaaaaa1')])
    expect(all(events.flatMap(event => [event, event]))).toEqual([call('call_aaaaaaaa1')])
    expect(all(events)).toEqual([])
    answer('call_aaaaaaaa1')
    expect(all(response('resp_2', [item('call_aaaaaaaa1')]), 'dlg_2')).toEqual([])
    expect(transport.problem).toBeNull()
  })

  test('that share an id and differ are two readings: only the first, which runs, is given', () => {
    const other = item('call_aaaaaaaa1', { arguments: '{"query":"go"}' })
    expect(all(response('resp_1', [item('call_aaaaaaaa1')]))).toHaveLength(1)
    expect(all(response('resp_2', [other]))).toEqual([])
    expect(transport.problem).toBe('`kb_search` not run: another call has its id')
  })

  test('of two delegations at a time are kept apart', () => {
    const [one, two] = ['1', '2'].map(n =>
      response(`resp_${n}`, [item(`call_aaaaaaaa${n}`, { arguments: `{"query":"${n}"}` })]).map(event =>
        nested(event, `dlg_${n}`),
      ),
    )
    expect(callsOf(one.flatMap((event, at) => [event, two[at]])).map(({ args }) => args)).toEqual([
      '{"query":"1"}',
      '{"query":"2"}',
    ])
  })

  test('of events without a delegation go to the response that their ids name, else to none', () => {
    const pieces = n => {
      const [created, added, , done, end] = response(`resp_${n}`, [item(`call_aaaaaaaa${n}`)])
      return [nested(created, `dlg_${n}`), nested(added, `dlg_${n}`), nested(done, null), nested(end, null)]
    }
    const [one, two] = [pieces('1'), pieces('2')]
    expect(callsOf(one.flatMap((event, at) => [event, two[at]]))).toHaveLength(2)
    const begun = ['3', '4'].flatMap(n => pieces(n).slice(0, 2))
    const piece = nested({ type: 'response.function_call_arguments.delta', delta: '{}' }, null)
    expect(callsOf([...begun, piece])).toEqual([])
    expect(transport.problem).toMatch(
      /^an event names no delegation, and more than one is in progress; `kb_search` not/,
    )
  })

  test('of which an event was lost are given only if their item came whole', () => {
    const [created, added, delta, done, end] = response('resp_1', [item('call_aaaaaaaa1')])
    const empty = { ...done, item: { ...done.item, arguments: '' } }
    expect(all([created, added, delta]).concat(callsOf(['{"type":"respon']), all([delta, empty, end]))).toEqual([])
    expect(transport.problem).toBe('`kb_search` not run: a part of its arguments is missing')
    expect(all([created, added]).concat(callsOf(['{"type":"respon']), all([done, end]))).toHaveLength(1)
  })

  test('of an unnamed response alone are given', () => {
    for (const delegation of [null, undefined, ''])
      expect(callsOf(response('r', [item(`call_aaaa_${delegation}`)]).map(e => nested(e, delegation)))).toHaveLength(1)
  })

  test('are not given when the session ends', () => {
    const events = response('resp_1', [item('call_aaaaaaaa1')]).map(event => nested(event))
    callsOf([events[0], nested(response('resp_1', [item('call_aaaaaaaa2')])[1])])
    expect(callsOf([{ type: 'session.closed', reason: 'expired' }])).toEqual([])
    expect(transport.problem).toBe(
      '`kb_search` not run: the stream ended before the response; the session is closed: expired',
    )
    callsOf([{ type: 'session.closed', reason: 'close_requested' }])
    expect(transport.problem).toBeNull()
  })

  test('are answered by an item each, and one response.create after the last', () => {
    all(response('resp_1', [item('call_aaaaaaaa1'), item('call_aaaaaaaa2')]))
    expect(answer('call_aaaaaaaa2')).toEqual([output('call_aaaaaaaa2')])
    expect(answer('call_aaaaaaaa2')).toEqual([])
    expect(answer('call_aaaaaaaa1')).toEqual([output('call_aaaaaaaa1'), CREATE])
    expect(sent).toHaveLength(3)
    expect(() => transport.sendToolResult({ id: '', name: 'a', result: found() })).toThrow(TypeError)
  })

  test('never show the confirmation token', () => {
    all(response('resp_1', [item('call_aaaaaaaa1')]))
    transport.sendToolResults([{ id: 'call_aaaaaaaa1', name: 'kb_search', result: needsConfirmation() }])
    transport.sendResult({ toolId: 'kb_search', response: needsConfirmation() })
    expect(JSON.stringify(sent)).toContain('CONFIRMATION_REQUIRED')
    expect(JSON.stringify(sent)).not.toContain(TOKEN)
  })
})

describe('the result of a background call', () => {
  const result = { toolId: 'render', response: found({ url: 'https://example.org/a' }) }
  const text = JSON.stringify(found({ url: 'https://example.org/a' }))
  const told = `The result of the tool call \`render\`, which was running: ${text}`

  test('is commentary, or thinking if the user need not hear it', () => {
    const joined = events => [...new Set(events.map(({ type }) => type)), events.map(e => e.content).join('')]
    expect(joined(transport.sendResult(result))).toEqual(['session.commentary.append', told])
    expect(joined(transport.sendResult(result, { silent: true }))).toEqual(['session.thinking.append', told])
  })

  test('belongs to the delegation as long as that one is open, then to the session', () => {
    delegationsOf([delegated('dlg_1')])
    const ids = () => transport.sendResult(result, { delegation: 'dlg_1' }).map(event => event.delegation_id)
    expect(new Set(ids())).toEqual(new Set(['dlg_1']))
    transport.sendAnswer({ id: 'dlg_1', commentary: 'Done.' })
    expect(new Set(ids())).toEqual(new Set([null]))
  })
})

test('the tools of the backend are replaced', () => {
  const event = transport.updateTools([{ type: 'function', name: 'a' }])
  expect(event).toEqual({
    type: 'session.update',
    session: { delegation: { type: 'responses', responses: { tools: [{ type: 'function', name: 'a' }] } } },
    event_id: EVENT_ID,
  })
  expect(sent).toEqual([event])
})

test('errors of the service are problems', () => {
  expect(
    callsOf([{ type: 'error', error: { type: 'invalid_request_error', code: 'too_long', message: 'no' } }]),
  ).toEqual([])
  expect(transport.problem).toBe('the service reports an error: invalid_request_error: too_long: no')
  callsOf([nested({ type: 'error', message: 'gone', code: 'x' })])
  expect(transport.problem).toMatch(/gone/)
  callsOf([{}])
  expect(transport.problem).toBe('the event has no `type`')
  callsOf([{ type: 'session.started' }, { type: 'an.event.of.tomorrow' }])
  expect(transport.problem).toBeNull()
})

describe('hostile frames', () => {
  const frames = framesOf([
    value => value,
    value => ({ type: value }),
    value => ({ type: 'session.delegation.created', delegation: value }),
    value => ({ type: 'session.delegation.created', delegation: { target: 'client', id: value }, offset_ms: value }),
    value => ({ type: 'session.delegation.created', delegation: { target: value, id: 'a' } }),
    value => ({ type: 'session.input_transcript.delta', delta: value, start_ms: value }),
    value => ({ type: 'session.output_transcript.delta', delta: value }),
    value => ({ type: 'response.event', event: value }),
    value => ({ type: 'response.event', event: { type: value }, delegation_id: value }),
    value => nested({ type: 'response.output_item.done', item: value, output_index: value }),
    value => nested({ type: 'response.output_item.done', item: item('call_a', { arguments: value, id: value }) }),
    value => nested({ type: 'response.function_call_arguments.delta', delta: value, item_id: value }),
    value => nested({ type: 'response.completed', response: value }),
    value => nested({ type: 'response.completed', response: { id: value, status: value, output: value } }),
    value => ({ type: 'session.closed', reason: value }),
    value => ({ type: 'error', error: value }),
  ])

  test('never throw, and give calls with names and ids only', () => {
    for (const frame of frames) {
      for (const { id, name } of transport.receiveToolCalls(frame))
        expect([typeof id, typeof name]).toEqual(['string', 'string'])
      for (const { id } of transport.receiveDelegations(frame)) expect(id).toMatch(/./)
    }
    expect(HOSTILE.length).toBeGreaterThan(10)
  })

  test('in a thousand a second, for a host that reads none of them, are bounded', () => {
    const before = heapUsed()
    for (let n = 0; n < 20_000; n += 1) {
      transport.receiveToolCalls(heard('word '.repeat(2000), n))
      transport.receiveToolCalls(delegated(`dlg_${n}`, {}, n))
      transport.receiveToolCalls(nested({ type: 'response.created', response: { id: `r${n}` } }, `dlg_${n}`))
      transport.receiveToolCalls(
        nested({ type: 'response.output_item.added', item: item(`call_${n}`), output_index: 0 }, `dlg_${n}`),
      )
    }
    expect(heapUsed() - before).toBeLessThan(48 * 1024 * 1024)
    expect(transport.receiveDelegations(heard('x'))).toHaveLength(1000)
    expect(transport.awaits('dlg_19999')).toBe(true)
    expect(transport.awaits('dlg_0')).toBe(false)
    expect(JSON.stringify(transport.conversation).length).toBeLessThan(64 * 2200)
  })

  test('with a word of many megabytes do not keep it', () => {
    const before = heapUsed()
    for (let n = 0; n < 6; n += 1) {
      transport.receiveDelegations(JSON.stringify(heard(`${n % 10}`.repeat(8 * 1024 * 1024), n * 10_000)))
      transport.receiveDelegations(delegated(`dlg_${n}`, {}, n * 10_000))
      transport.receiveDelegations(JSON.stringify(said('s'.repeat(8 * 1024 * 1024))))
    }
    transport.receiveDelegations(heard('end'))
    expect(heapUsed() - before).toBeLessThan(24 * 1024 * 1024)
    expect(transport.transcriptOf('dlg_3')).toBe('3'.repeat(8192))
  })

  function heapUsed() {
    require('node:v8').setFlagsFromString('--expose-gc')
    require('node:vm').runInNewContext('gc')()
    return process.memoryUsage().heapUsed
  }
})
