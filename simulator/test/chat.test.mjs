// Chat Completions through the real openai client.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { simulate } from './simulate.mjs'

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
    },
  },
]

function clientOf(sim) {
  return new OpenAI({ apiKey: 'sk-SECRET', baseURL: `${sim.url}/v1`, maxRetries: 0 })
}

const ask = (content, more = {}) => ({ model: 'gpt-x', messages: [{ role: 'user', content }], ...more })

async function collect(stream) {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

test('whole answer', async t => {
  const sim = await simulate(t, { rules: [{ steps: [{ emit: [{ say: 'Hello {{user}}.' }] }] }] })
  const { data, response } = await clientOf(sim)
    .chat.completions.create(ask([{ type: 'text', text: 'you' }]))
    .withResponse()
  assert.equal(response.headers.get('x-toolgate-simulator'), '1')
  assert.deepEqual(data.choices, [
    {
      index: 0,
      message: { role: 'assistant', content: '[simulator] Hello you.', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ])
  assert.deepEqual(
    [data.object, data.model, data.system_fingerprint],
    ['chat.completion', 'gpt-x', 'fp_toolgate_simulator'],
  )
  assert.equal(data.usage.total_tokens, data.usage.prompt_tokens + data.usage.completion_tokens)
  assert.ok(!JSON.stringify(sim.received).includes('SECRET'))
})

test('streamed text: role first, then pieces, finish reason, usage chunk', async t => {
  const sim = await simulate(t, {
    settings: { label: '', pieceChars: 3 },
    rules: [{ steps: [{ emit: [{ say: 'ab😀cd' }] }] }],
  })
  const chunks = await collect(
    await clientOf(sim).chat.completions.create(ask('go', { stream: true, stream_options: { include_usage: true } })),
  )
  assert.deepEqual(
    chunks.map(({ choices }) => choices[0]?.delta ?? null),
    [{ role: 'assistant', content: '', refusal: null }, { content: 'ab😀' }, { content: 'cd' }, {}, null],
  )
  assert.deepEqual(
    chunks.map(({ choices }) => choices[0]?.finish_reason ?? null),
    [null, null, null, 'stop', null],
  )
  assert.equal(new Set(chunks.map(({ id }) => id)).size, 1)
  assert.ok(chunks.at(-1).usage.total_tokens > 0)
})

test('the tool loop of the SDK: calls by index, arguments in pieces, the answer cites the result', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      {
        when: { user: { contains: 'weather' }, declared: ['get_weather'] },
        steps: [
          {
            emit: [
              { say: 'Looking. ' },
              {
                calls: [
                  { name: 'get_weather', args: { city: 'Paris' } },
                  { name: 'get_weather', args: { city: 'Rome' } },
                ],
              },
            ],
          },
          { emit: [{ sayEach: { path: 'results', text: '{{item.city}}: {{item.sky}}' } }] },
        ],
      },
    ],
  })
  const asked = []
  const weather = {
    type: 'function',
    function: {
      ...tools[0].function,
      parse: JSON.parse,
      function: ({ city }) => (asked.push(city), { city, sky: 'blue' }),
    },
  }
  const runner = clientOf(sim).chat.completions.runTools(ask('weather?', { tools: [weather], stream: true }))
  assert.equal(await runner.finalContent(), 'Paris: blue Rome: blue')
  assert.deepEqual(asked, ['Paris', 'Rome'])
  const [first, second] = sim.received.map(({ json }) => json.messages)
  assert.deepEqual([first.length, second.length], [1, 4])
  assert.deepEqual(
    second[1].tool_calls.map(call => call.function.arguments),
    ['{"city":"Paris"}', '{"city":"Rome"}'],
  )
})

test('cut arguments with finish_reason length, an id twice, no id', async t => {
  const calls = [
    { name: 'a', id: 'x', rawArgs: '{"cut' },
    { name: 'a', id: 'x' },
    { name: 'a', id: null },
  ]
  const sim = await simulate(t, { rules: [{ steps: [{ emit: [{ calls }, { finish: 'length' }] }] }] })
  const expected = [
    ['x', '{"cut'],
    ['x', '{}'],
    [undefined, '{}'],
  ]
  const whole = await clientOf(sim).chat.completions.create(ask('go'))
  assert.equal(whole.choices[0].finish_reason, 'length')
  assert.equal(whole.choices[0].message.content, null)
  assert.deepEqual(
    whole.choices[0].message.tool_calls.map(call => [call.id, call.function.arguments]),
    expected,
  )
  const chunks = await collect(await clientOf(sim).chat.completions.create(ask('go', { stream: true })))
  const assembled = []
  for (const delta of chunks.flatMap(({ choices }) => choices[0].delta.tool_calls ?? [])) {
    assembled[delta.index] ??= [delta.id, '']
    assembled[delta.index][1] += delta.function.arguments
  }
  assert.deepEqual(assembled, expected)
})

test('the history decides: turn, step, and rules for results', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      { when: { turn: 2 }, steps: [{ emit: [{ call: { name: 'a' } }] }, { emit: [{ call: { name: 'b' } }] }] },
      { when: { results: 'b' }, steps: [{ emit: [{ say: 'b said {{result}}' }] }] },
    ],
  })
  const call = (id, name) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
  })
  const messages = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'x' },
    { role: 'user', content: 'two' },
  ]
  const next = async () => (await clientOf(sim).chat.completions.create({ model: 'm', messages })).choices[0].message
  assert.equal((await next()).tool_calls[0].function.name, 'a')
  messages.push(call('1', 'a'), { role: 'tool', tool_call_id: '1', content: 'no JSON' })
  assert.equal((await next()).tool_calls[0].function.name, 'b')
  messages.push(call('2', 'b'), { role: 'tool', tool_call_id: '2', content: [{ type: 'text', text: '{"n":1}' }] })
  assert.equal((await next()).content, 'b said {"n":1}')
  messages.push({ role: 'assistant', content: 'y' }, { role: 'user', content: 'three' })
  assert.match((await next()).content, /simulator; the scenario `scenario object` has no rule for this/)
})

test('scripted errors: before the answer as a status, in the middle of a stream, as a cut connection', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [
      {
        when: { user: 'limit' },
        steps: [
          {
            emit: [
              {
                error: {
                  status: 429,
                  message: 'slow down',
                  type: 'rate_limit_error',
                  code: 'rate_limit_exceeded',
                  retryAfterSeconds: 2,
                },
              },
            ],
          },
        ],
      },
      { when: { user: 'break' }, steps: [{ emit: [{ say: 'a' }, { error: { message: 'broken' } }] }] },
      { when: { user: 'cut' }, steps: [{ emit: [{ say: 'a' }, { disconnect: true }] }] },
      { when: { user: 'garble' }, steps: [{ emit: [{ malformed: '{"choices":' }] }] },
    ],
  })
  const { completions } = clientOf(sim).chat
  await assert.rejects(completions.create(ask('limit')), error => {
    assert.deepEqual(
      [error.status, error.code, error.type, error.headers.get('retry-after')],
      [429, 'rate_limit_exceeded', 'rate_limit_error', '2'],
    )
    return true
  })
  await assert.rejects(completions.create(ask('break', { stream: true })).then(collect), /broken/)
  await assert.rejects(completions.create(ask('cut', { stream: true })).then(collect))
  await assert.rejects(completions.create(ask('garble', { stream: true })).then(collect), SyntaxError)
  await assert.rejects(completions.create(ask('garble')), SyntaxError)
})

const assistant = {
  role: 'assistant',
  tool_calls: [{ id: '1', type: 'function', function: { name: 'a', arguments: '{}' } }],
}
const schema = (parameters, strict) => ({ tools: [{ type: 'function', function: { name: 'a', parameters, strict } }] })

const REFUSED = [
  ['no model', { model: undefined }, 'model', 'missing_required_parameter'],
  ['no messages', { messages: [] }, 'messages', 'empty_array'],
  ['an unknown role', { messages: [{ role: 'robot', content: '' }] }, 'messages[0].role', 'invalid_value'],
  ['content of a wrong type', { messages: [{ role: 'user', content: 1 }] }, 'messages[0].content', 'invalid_type'],
  [
    'arguments that are no string',
    {
      messages: [
        { role: 'user', content: 'x' },
        { ...assistant, tool_calls: [{ id: '1', type: 'function', function: { name: 'a', arguments: {} } }] },
      ],
    },
    'messages[1].tool_calls[0].function.arguments',
    'invalid_type',
  ],
  ['a call without answer', { messages: [assistant, { role: 'user', content: 'x' }] }, 'messages[1].role', null],
  ['a last call without answer', { messages: [assistant] }, 'messages[1].role', null],
  [
    'an answer without call',
    { messages: [{ role: 'tool', tool_call_id: '1', content: '' }] },
    'messages[0].role',
    null,
  ],
  [
    'a bad tool name',
    { tools: [{ type: 'function', function: { name: 'a.b' } }] },
    'tools[0].function.name',
    'invalid_value',
  ],
  [
    'parameters that are no object schema',
    schema({ type: 'string' }),
    'tools[0].function.parameters',
    'invalid_function_parameters',
  ],
  [
    'strict with an optional property',
    schema({ type: 'object', properties: { a: {} }, required: [], additionalProperties: false }, true),
    'tools[0].function.parameters',
    'invalid_function_parameters',
  ],
  [
    'strict with an open nested object',
    schema(
      {
        type: 'object',
        properties: { a: { anyOf: [{ type: ['object', 'null'] }] } },
        required: ['a'],
        additionalProperties: false,
      },
      true,
    ),
    'tools[0].function.parameters',
    'invalid_function_parameters',
  ],
  ['tool_choice without tools', { tool_choice: 'auto' }, 'tool_choice', null],
  ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options', null],
]

for (const [what, change, param, code] of REFUSED) {
  test(`refused with 400: ${what}`, async t => {
    const sim = await simulate(t, { rules: [] })
    await assert.rejects(clientOf(sim).chat.completions.create({ ...ask('go'), ...change }), error => {
      assert.ok(error instanceof OpenAI.BadRequestError)
      assert.deepEqual([error.type, error.param, error.code], ['invalid_request_error', param, code])
      return true
    })
  })
}

test('a body that is no JSON, and a path that does not exist', async t => {
  const sim = await simulate(t, { rules: [] })
  const broken = await fetch(`${sim.url}/v1/chat/completions`, { method: 'POST', body: '{"model"' })
  assert.equal(broken.status, 400)
  assert.equal((await broken.json()).error.type, 'invalid_request_error')
  assert.equal(sim.received[0].text, '{"model"')
  await assert.rejects(clientOf(sim).embeddings.create({ model: 'm', input: 'x' }), OpenAI.NotFoundError)
})

test('models and health say what this is', async t => {
  const sim = await simulate(t, { name: 'mine', rules: [] })
  const models = await clientOf(sim).models.list()
  assert.deepEqual(
    models.data.map(({ id }) => id),
    ['toolgate-simulator'],
  )
  const health = await fetch(`${sim.url}/healthz`)
  assert.deepEqual(await health.json(), {
    ok: true,
    simulator: true,
    name: 'toolgate-simulator',
    scenario: 'mine',
    liveConnections: 0,
    realtimeConnections: 0,
  })
})
