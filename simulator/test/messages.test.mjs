// Anthropic Messages through the real @anthropic-ai/sdk client.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { simulate } from './simulate.mjs'

function apiOf(sim) {
  return new Anthropic({ apiKey: 'sk-ant-SECRET', baseURL: sim.url, maxRetries: 0 }).messages
}

const user = content => ({ role: 'user', content })
const ask = (content, more = {}) => ({ model: 'claude-x', max_tokens: 100, messages: [user(content)], ...more })
const rulesOf = scripts => Object.entries(scripts).map(([text, emit]) => ({ when: { user: text }, steps: [{ emit }] }))

async function collect(stream) {
  const events = []
  for await (const event of stream) events.push(event)
  return events
}

test('a whole message', async t => {
  const sim = await simulate(t, { rules: [{ steps: [{ emit: [{ say: 'Hello {{user}}.' }] }] }] })
  const { data, response } = await apiOf(sim)
    .create(ask([{ type: 'text', text: 'you' }]))
    .withResponse()
  assert.equal(response.headers.get('x-toolgate-simulator'), '1')
  assert.deepEqual(data.content, [{ type: 'text', text: '[simulator] Hello you.' }])
  assert.deepEqual(
    [data.type, data.role, data.model, data.stop_reason, data.stop_sequence],
    ['message', 'assistant', 'claude-x', 'end_turn', null],
  )
  assert.ok(data.usage.input_tokens > 0 && data.usage.output_tokens > 0)
  assert.equal(sim.received[0].protocol, 'messages')
  assert.ok(!JSON.stringify(sim.received).includes('SECRET'))
})

test('a streamed message: every event of its life, a ping, the input in pieces', async t => {
  const emit = [{ say: 'abcd' }, { call: { name: 'a', args: { x: 1 } } }]
  const sim = await simulate(t, { settings: { label: '', pieceChars: 2 }, rules: [{ steps: [{ emit }] }] })
  const response = await fetch(`${sim.url}/v1/messages`, {
    method: 'POST',
    headers: { 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(ask('go', { stream: true })),
  })
  const raw = await response.text()
  assert.deepEqual(
    [...raw.matchAll(/^event: (.*)$/gm)].map(([, name]) => name),
    [
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ],
  )
  const events = await collect(await apiOf(sim).create(ask('go', { stream: true })))
  const pieces = events.filter(({ delta }) => delta?.type === 'input_json_delta').map(({ delta }) => delta.partial_json)
  assert.deepEqual([pieces[0], pieces.join('')], ['', '{"x":1}'])
  const message = await apiOf(sim).stream(ask('go')).finalMessage()
  assert.deepEqual([message.stop_reason, message.content[1].input], ['tool_use', { x: 1 }])
  assert.match(message.content[1].id, /^toolu_/)
})

test('the tool runner of the SDK: all results in one message', async t => {
  const emit = [
    {
      calls: [
        { name: 'get_weather', args: { city: 'Paris' } },
        { name: 'get_weather', args: { city: 'Rome' } },
      ],
    },
  ]
  const rules = [
    {
      when: { declared: ['get_weather'] },
      steps: [{ emit }, { emit: [{ sayEach: { path: 'results', text: '{{item.city}}: {{item.sky}}' } }] }],
    },
  ]
  const sim = await simulate(t, { settings: { label: '' }, rules })
  const anthropic = new Anthropic({ apiKey: 'x', baseURL: sim.url, maxRetries: 0 })
  const asked = []
  const run = ({ city }) => (asked.push(city), JSON.stringify({ city, sky: 'blue' }))
  const tool = {
    name: 'get_weather',
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
    run,
    parse: input => input,
  }
  const runner = anthropic.beta.messages.toolRunner({ ...ask('weather?'), tools: [tool] })
  const final = await runner
  assert.equal(final.content[0].text, 'Paris: blue Rome: blue')
  assert.deepEqual(asked, ['Paris', 'Rome'])
  assert.equal(
    sim.received
      .at(-1)
      .json.messages.at(-1)
      .content.filter(({ type }) => type === 'tool_result').length,
    2,
  )
})

test('a thread: only what is new is sent; one that is not known is refused so that the SDK sends all again', async t => {
  const steps = [{ emit: [{ call: { name: 'a', id: 't1' } }] }, { emit: [{ say: 'got {{result.n}}' }] }]
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [{ when: { user: 'go', declared: ['a'] }, steps }, { steps: [{ emit: [{ say: 'turn {{turn}}' }] }] }],
  })
  const other = await simulate(t, {
    settings: { label: '' },
    rules: [{ steps: [{ emit: [{ say: 'turn {{turn}}' }] }] }],
  })
  const anthropic = new Anthropic({ apiKey: 'x', baseURL: sim.url, maxRetries: 0 })
  const thread = anthropic.beta.messages.thread({
    model: 'm',
    max_tokens: 10,
    tools: [{ name: 'a', input_schema: { type: 'object' } }],
  })
  assert.equal((await thread.send([user('go')])).stop_reason, 'tool_use')
  const second = await thread.send([user([{ type: 'tool_result', tool_use_id: 't1', content: '{"n":7}' }])])
  assert.equal(second.content[0].text, 'got 7')
  assert.equal(sim.received.at(-1).json.messages.length, 1)
  anthropic.baseURL = other.url
  assert.equal((await thread.send([user('more')])).content[0].text, 'turn 2')
  assert.deepEqual(
    other.received.map(({ json }) => json.messages.length),
    [1, 5],
  )
})

test('words beside results are another utterance; a failed result is one as well', async t => {
  const steps = [{ emit: [{ call: { name: 'a', id: 't1' } }] }, { emit: [{ say: 'got {{result}}' }] }]
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      { when: { user: 'go' }, steps },
      { when: { user: 'wait' }, steps: [{ emit: [{ say: 'turn {{turn}}' }] }] },
    ],
  })
  const { content } = await apiOf(sim).create(ask('go'))
  const result = {
    type: 'tool_result',
    tool_use_id: 't1',
    content: [{ type: 'text', text: 'no JSON' }],
    is_error: true,
  }
  const next = async (...blocks) =>
    (await apiOf(sim).create({ ...ask(''), messages: [user('go'), { role: 'assistant', content }, user(blocks)] }))
      .content[0].text
  assert.equal(await next(result), 'got no JSON')
  assert.equal(await next(result, { type: 'text', text: 'wait' }), 'turn 2')
})

test('stop reasons, and input that is cut', async t => {
  const rules = rulesOf({
    length: [{ call: { name: 'a', id: 't1', rawArgs: '{"cut', cut: true } }, { finish: 'length' }],
    filter: [{ say: 'a' }, { finish: 'content_filter' }],
  })
  const api = apiOf(await simulate(t, { rules }))
  const whole = await api.create(ask('length'))
  assert.deepEqual([whole.stop_reason, whole.content[0].input], ['max_tokens', '{"cut'])
  const events = await collect(await api.create(ask('length', { stream: true })))
  assert.equal(
    events
      .filter(({ delta }) => delta?.partial_json)
      .map(({ delta }) => delta.partial_json)
      .join(''),
    '{"cut',
  )
  assert.equal(events.find(({ type }) => type === 'message_delta').delta.stop_reason, 'max_tokens')
  assert.equal((await api.create(ask('filter'))).stop_reason, 'refusal')
})

test('errors: with a status, in a stream, cut connections, malformed events', async t => {
  const rules = rulesOf({
    limit: [{ error: { status: 429, message: 'slow down', retryAfterSeconds: 2 } }],
    overloaded: [{ error: { status: 529, message: 'busy' } }],
    plain: [{ error: { message: 'broken' } }],
    break: [{ say: 'a' }, { error: { status: 529, message: 'busy' } }],
    cut: [{ say: 'a' }, { disconnect: true }],
    garble: [{ malformed: '{"type":' }],
  })
  const api = apiOf(await simulate(t, { rules }))
  await assert.rejects(api.create(ask('limit')), error => {
    assert.deepEqual(
      [error.status, error.error.error, error.headers.get('retry-after')],
      [429, { type: 'rate_limit_error', message: 'slow down' }, '2'],
    )
    assert.match(error.requestID, /^req_/)
    return true
  })
  await assert.rejects(api.create(ask('overloaded', { stream: true })), { status: 529 })
  await assert.rejects(
    api.create(ask('plain')),
    error => error.status === 500 && error.error.error.type === 'api_error',
  )
  await assert.rejects(api.create(ask('break', { stream: true })).then(collect), error => {
    assert.equal(error.error.error.type, 'overloaded_error')
    return true
  })
  await assert.rejects(api.create(ask('cut', { stream: true })).then(collect))
  await assert.rejects(api.create(ask('garble', { stream: true })).then(collect), SyntaxError)
  await assert.rejects(api.create(ask('garble')))
})

const use = id => ({ type: 'tool_use', id, name: 'a', input: {} })
const result = id => ({ type: 'tool_result', tool_use_id: id, content: '1' })
const assistant = (...content) => ({ role: 'assistant', content })
const words = { type: 'text', text: 'x' }
const talk = (...messages) => ({ messages: [user('go'), ...messages] })
const schema = { type: 'object' }

const REFUSED = [
  ['no max_tokens', { max_tokens: undefined }, /^max_tokens: field required/],
  ['no messages', { messages: [] }, /^messages: /],
  ['a system message among the messages', { messages: [{ role: 'system', content: 'x' }] }, /^messages\.0\.role: /],
  [
    'a first message of the assistant',
    { messages: [assistant(words), user('x')] },
    /first message must have the role `user`/,
  ],
  ['empty text', { messages: [user([{ type: 'text', text: '' }])] }, /text content blocks must be non-empty/],
  [
    'a call without result',
    talk(assistant(use('1')), user('x')),
    /messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: 1/,
  ],
  ['a last call without result', talk(assistant(use('1'))), /messages\.1: `tool_use` ids were found without/],
  ['one of two results', talk(assistant(use('1'), use('2')), user([result('1')])), /immediately after: 2/],
  [
    'results in two messages with an answer between',
    talk(assistant(use('1'), use('2')), user([result('1')]), assistant(words), user([result('2')])),
    /immediately after: 2/,
  ],
  [
    'words before results',
    talk(assistant(use('1')), user([words, result('1')])),
    /`tool_result` blocks must come before all other content/,
  ],
  ['a result of nothing', { messages: [user([result('1')])] }, /messages\.0: unexpected `tool_use_id`/],
  ['a result twice', talk(assistant(use('1')), user([result('1'), result('1')])), /must have a single result/],
  [
    'an id used twice',
    talk(assistant(use('1')), user([result('1')]), assistant(use('1')), user([result('1')])),
    /`tool_use` ids must be unique/,
  ],
  [
    'input that is no object',
    talk(assistant({ ...use('1'), input: '{}' }), user([result('1')])),
    /messages\.1\.content\.0\.input: must be object/,
  ],
  ['a bad tool name', { tools: [{ name: 'a.b', input_schema: schema }] }, /^tools\.0\.name: /],
  ['a tool of OpenAI', { tools: [{ type: 'function', function: { name: 'a' } }] }, /^tools\.0\.name: field required/],
  ['a tool without schema', { tools: [{ name: 'a' }] }, /^tools\.0\.input_schema: field required/],
  [
    'a schema that is no object',
    { tools: [{ name: 'a', input_schema: { type: 'string' } }] },
    /^tools\.0\.input_schema\.type: /,
  ],
  [
    'tools of one name',
    {
      tools: [
        { name: 'a', input_schema: schema },
        { name: 'a', input_schema: schema },
      ],
    },
    /tool names must be unique/,
  ],
  [
    'a choice of a tool that is not there',
    { tools: [{ name: 'a', input_schema: schema }], tool_choice: { type: 'tool', name: 'b' } },
    /tool `b` not found/,
  ],
]

for (const [what, change, message] of REFUSED) {
  test(`refused with 400: ${what}`, async t => {
    const sim = await simulate(t, { rules: [] })
    await assert.rejects(apiOf(sim).create({ ...ask('go'), ...change }), error => {
      assert.ok(error instanceof Anthropic.BadRequestError, error.message)
      assert.equal(error.error.error.type, 'invalid_request_error')
      assert.match(error.error.error.message, message)
      return true
    })
  })
}

test('without a version of the API, and the models in its words', async t => {
  const sim = await simulate(t, { rules: [] })
  const response = await fetch(`${sim.url}/v1/messages`, { method: 'POST', body: JSON.stringify(ask('go')) })
  assert.deepEqual(
    [response.status, (await response.json()).error.message],
    [400, 'anthropic-version: header is required'],
  )
  const models = await new Anthropic({ apiKey: 'x', baseURL: sim.url }).models.list()
  assert.deepEqual(
    models.data.map(({ id }) => id),
    ['toolgate-simulator'],
  )
})

test('a text block has no citations, which the AI SDK refuses as null', async t => {
  const sim = await simulate(t, { settings: { label: '' }, rules: [{ steps: [{ emit: [{ say: 'Hello' }] }] }] })
  const response = await fetch(`${sim.url}/v1/messages`, {
    method: 'POST',
    headers: { 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }),
  })
  assert.deepEqual((await response.json()).content, [{ type: 'text', text: 'Hello' }])
})
