// OpenAI Responses through the real `openai` client.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { functionTools } from './realtime-client.mjs'
import { simulate } from './simulate.mjs'

function apiOf(sim) {
  return new OpenAI({ apiKey: 'sk-SECRET', baseURL: `${sim.url}/v1`, maxRetries: 0 }).responses
}

const ask = (input, more = {}) => ({ model: 'gpt-x', input, ...more })
const rulesOf = scripts => Object.entries(scripts).map(([user, emit]) => ({ when: { user }, steps: [{ emit }] }))

async function collect(stream) {
  const events = []
  for await (const event of stream) events.push(event)
  return events
}

test('a whole response', async t => {
  const sim = await simulate(t, { rules: [{ steps: [{ emit: [{ say: 'Hello {{user}}.' }] }] }] })
  const response = await apiOf(sim).create(ask('you', { instructions: 'be brief', metadata: { a: 'b' } }))
  assert.equal(response.output_text, '[simulator] Hello you.')
  assert.deepEqual(
    [response.object, response.status, response.error, response.incomplete_details],
    ['response', 'completed', null, null],
  )
  assert.deepEqual([response.instructions, response.metadata, response.store], ['be brief', { a: 'b' }, true])
  assert.equal(response.usage.total_tokens, response.usage.input_tokens + response.usage.output_tokens)
  assert.equal(sim.received[0].protocol, 'responses')
  assert.ok(!JSON.stringify(sim.received).includes('SECRET'))
})

test('a streamed response: every event of its life, numbered', async t => {
  const emit = [{ say: 'abcd' }, { call: { name: 'a', id: 'call_1', args: { x: 1 } } }]
  const sim = await simulate(t, { settings: { label: '', pieceChars: 2 }, rules: [{ steps: [{ emit }] }] })
  const events = await collect(await apiOf(sim).create(ask('go', { stream: true })))
  assert.deepEqual(
    events.map(({ sequence_number: number }) => number),
    events.map((_, index) => index),
  )
  assert.deepEqual(
    events.map(({ type }) => type.slice('response.'.length)),
    [
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ],
  )
  const { response } = events.at(-1)
  assert.deepEqual(
    response.output.map(({ id, status }) => [id, status]),
    [
      [events[2].item.id, 'completed'],
      [events[9].item.id, 'completed'],
    ],
  )
  assert.deepEqual([response.output[1].call_id, response.output[1].arguments], ['call_1', '{"x":1}'])
})

test('going on from a response: only the outputs are sent; an unknown or unkept one is refused', async t => {
  const steps = [
    {
      emit: [
        {
          calls: [
            { name: 'a', id: '1' },
            { name: 'a', id: '2' },
          ],
        },
      ],
    },
    { emit: [{ sayEach: { path: 'results', text: '{{item.n}}' } }] },
  ]
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [{ when: { turn: 1 }, steps }, { steps: [{ emit: [{ say: 'turn {{turn}}' }] }] }],
  })
  const api = apiOf(sim)
  const first = await api.create(ask('go', { tools: functionTools('a') }))
  const output = (id, n) => ({ type: 'function_call_output', call_id: id, output: JSON.stringify({ n }) })
  const second = await api.create(ask([output('2', 2), output('1', 1)], { previous_response_id: first.id }))
  assert.equal(second.output_text, '1 2')
  const third = await api.create(ask('more', { previous_response_id: second.id, store: false }))
  assert.equal(third.output_text, 'turn 2')
  for (const id of ['resp_unknown', third.id]) {
    await assert.rejects(api.create(ask('more', { previous_response_id: id })), error => {
      assert.deepEqual(
        [error.status, error.param, error.code],
        [400, 'previous_response_id', 'previous_response_not_found'],
      )
      return true
    })
  }
  const reference = { type: 'item_reference', id: first.output[0].id }
  const again = await api.create(
    ask([
      { role: 'user', content: 'go' },
      reference,
      { type: 'item_reference', id: first.output[1].id },
      output('1', 5),
      output('2', 6),
    ]),
  )
  assert.equal(again.output_text, '5 6')
  await assert.rejects(api.create(ask([{ type: 'item_reference', id: 'nothing' }])), OpenAI.NotFoundError)
})

test('the newest 1000 responses are kept', async t => {
  const sim = await simulate(t, { rules: [] })
  const api = apiOf(sim)
  const ids = []
  for (let at = 0; at < 1001; at += 100)
    ids.push(...(await Promise.all(Array.from({ length: 100 }, () => api.create(ask('x'))))).map(({ id }) => id))
  assert.equal((await api.create(ask('y', { previous_response_id: ids.at(-1) }))).status, 'completed')
  await assert.rejects(api.create(ask('y', { previous_response_id: ids[0] })), OpenAI.BadRequestError)
})

const CUT = rulesOf({
  length: [{ say: 'a' }, { call: { name: 'a', id: '1', rawArgs: '{"cut', cut: true } }, { finish: 'length' }],
  filter: [{ say: 'a' }, { finish: 'content_filter' }],
  fail: [{ say: 'a' }, { error: { message: 'broken', code: 'rate_limit_exceeded' } }],
})

test('incomplete and failed, in one body', async t => {
  const api = apiOf(await simulate(t, { rules: CUT }))
  const length = await api.create(ask('length'))
  assert.deepEqual([length.status, length.incomplete_details], ['incomplete', { reason: 'max_output_tokens' }])
  assert.deepEqual(
    length.output.map(({ status }) => status),
    ['completed', 'incomplete'],
  )
  assert.equal(length.output[1].arguments, '{"cut')
  const filter = await api.create(ask('filter'))
  assert.deepEqual(
    [filter.status, filter.incomplete_details, filter.output[0].status],
    ['incomplete', { reason: 'content_filter' }, 'incomplete'],
  )
  const failed = await api.create(ask('fail'))
  assert.deepEqual([failed.status, failed.error], ['failed', { code: 'rate_limit_exceeded', message: 'broken' }])
})

test('incomplete and failed, in a stream', async t => {
  const api = apiOf(await simulate(t, { rules: CUT }))
  const length = await collect(await api.create(ask('length', { stream: true })))
  assert.equal(length.at(-1).type, 'response.incomplete')
  assert.equal(length.at(-2).type, 'response.output_item.done')
  assert.deepEqual([length.at(-2).item.status, length.at(-2).item.arguments], ['incomplete', '{"cut'])
  const failed = await collect(await api.create(ask('fail', { stream: true })))
  assert.deepEqual([failed.at(-1).type, failed.at(-1).response.error.message], ['response.failed', 'broken'])
  assert.equal(failed.filter(({ type }) => type === 'response.output_item.done').at(-1).item.status, 'incomplete')
})

test('errors with a status, cut connections, malformed events, events as they are', async t => {
  const limit = {
    status: 429,
    message: 'slow down',
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    retryAfterSeconds: 2,
  }
  const rules = rulesOf({
    limit: [{ error: limit }],
    cut: [{ say: 'a' }, { disconnect: true }],
    garble: [{ malformed: '{"type":' }],
    raw: [{ frame: { type: 'error', code: 'x', message: 'told in the stream', param: null, sequence_number: 0 } }],
  })
  const api = apiOf(await simulate(t, { rules }))
  for (const stream of [false, true]) {
    await assert.rejects(api.create(ask('limit', { stream })), error => {
      assert.deepEqual(
        [error.status, error.code, error.type, error.headers.get('retry-after')],
        [429, 'rate_limit_exceeded', 'rate_limit_error', '2'],
      )
      return true
    })
  }
  await assert.rejects(api.create(ask('cut', { stream: true })).then(collect))
  await assert.rejects(api.create(ask('garble', { stream: true })).then(collect), SyntaxError)
  await assert.rejects(api.create(ask('garble')), SyntaxError)
  const raw = await collect(await api.create(ask('raw', { stream: true })))
  assert.equal(raw[0].message, 'told in the stream')
})

const call = { type: 'function_call', call_id: '1', name: 'a', arguments: '{}' }
const fn = more => ({ tools: [{ type: 'function', name: 'a', ...more }] })

const REFUSED = [
  ['no model', { model: undefined }, 'model', 'missing_required_parameter'],
  ['no input', { input: undefined }, 'input', 'missing_required_parameter'],
  ['an unknown role', { input: [{ role: 'robot', content: 'x' }] }, 'input[0].role', 'invalid_value'],
  [
    'a part of another role',
    { input: [{ role: 'user', content: [{ type: 'output_text', text: 'x' }] }] },
    'input[0].content[0].type',
    'invalid_value',
  ],
  ['an unknown item', { input: [{ type: 'tool', output: '' }] }, 'input[0].type', 'invalid_value'],
  ['arguments that are no text', { input: [{ ...call, arguments: {} }] }, 'input[0].arguments', 'invalid_type'],
  [
    'an output that is no text',
    { input: [call, { type: 'function_call_output', call_id: '1', output: {} }] },
    'input[1].output',
    'invalid_type',
  ],
  ['a call without output', { input: [call] }, 'input', null],
  ['an output without call', { input: [{ type: 'function_call_output', call_id: '1', output: '' }] }, 'input', null],
  [
    'an output before its call',
    { input: [{ type: 'function_call_output', call_id: '1', output: '' }, call] },
    'input',
    null,
  ],
  [
    'a nested tool, as Chat Completions has it',
    { tools: [{ type: 'function', function: { name: 'a' } }] },
    'tools[0].name',
    'missing_required_parameter',
  ],
  ['a bad tool name', fn({ name: 'a.b' }), 'tools[0].name', 'invalid_value'],
  [
    'strict with an optional property',
    fn({
      strict: true,
      parameters: { type: 'object', properties: { a: {} }, required: [], additionalProperties: false },
    }),
    'tools[0].parameters',
    'invalid_function_parameters',
  ],
  ['a required tool without tools', { tool_choice: 'required' }, 'tool_choice', null],
  ['too few tokens', { max_output_tokens: 1 }, 'max_output_tokens', 'invalid_value'],
  ['work in the background', { background: true }, 'background', null],
  ['a conversation', { conversation: 'conv_1' }, 'conversation', null],
]

for (const [what, change, param, code] of REFUSED) {
  test(`refused with 400: ${what}`, async t => {
    const sim = await simulate(t, { rules: [] })
    await assert.rejects(apiOf(sim).create({ ...ask('go'), ...change }), error => {
      assert.ok(error instanceof OpenAI.BadRequestError)
      assert.deepEqual([error.type, error.param, error.code], ['invalid_request_error', param, code])
      return true
    })
  })
}
