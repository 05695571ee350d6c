// generateContent over HTTP: what the real clients send and get, and what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GoogleGenAI } from '@google/genai'
import { simulate } from './simulate.mjs'

const call = (name, args = {}) => ({ call: { name, args } })
const steps = emit => ({ settings: { label: '', pieceChars: 4 }, rules: [{ steps: [{ emit }] }] })
const client = sim => new GoogleGenAI({ apiKey: 'SECRET_KEY', httpOptions: { baseUrl: sim.url } })
const ask = { model: 'gemini-any', contents: 'Hello' }
const tools = [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }]

test('a text answer has its finish reason and usage', async t => {
  const sim = await simulate(t, steps([{ say: 'Hello, {{user}}' }]))
  const response = await client(sim).models.generateContent(ask)
  const { promptTokenCount, candidatesTokenCount, totalTokenCount } = response.usageMetadata
  assert.equal(response.text, 'Hello, Hello')
  assert.equal(response.candidates[0].finishReason, 'STOP')
  assert.equal(promptTokenCount + candidatesTokenCount, totalTokenCount)
  assert.ok(candidatesTokenCount > 0)
  const { protocol, path, headers } = sim.received[0]
  assert.deepEqual([protocol, path], ['gemini', '/v1beta/models/gemini-any:generateContent'])
  assert.ok(!JSON.stringify(headers).includes('SECRET_KEY'))
})

test('a stream has its pieces, and each call as a whole', async t => {
  const sim = await simulate(t, steps([{ say: 'Looking now.' }, call('a', { x: 1 }), { finish: 'length' }]))
  const chunks = []
  for await (const chunk of await client(sim).models.generateContentStream({ ...ask, config: { tools } }))
    chunks.push(chunk)
  const parts = chunks.flatMap(({ candidates }) => candidates[0].content.parts)
  assert.deepEqual(
    parts.map(({ text, functionCall }) => text ?? [functionCall.name, functionCall.args]),
    ['Look', 'ing ', 'now.', ['a', { x: 1 }], ''],
  )
  assert.deepEqual(
    chunks.map(({ candidates }) => candidates[0].finishReason),
    [undefined, undefined, undefined, undefined, 'MAX_TOKENS'],
  )
})

test('answers without ids belong to the calls of their names, in order', async t => {
  const sim = await simulate(t, {
    settings: { label: '' },
    rules: [{ steps: [{ emit: [call('a')] }, { emit: [{ say: '{{results.0.n}} {{results.1.n}} {{results.2.n}}' }] }] }],
  })
  const functionCall = name => ({ functionCall: { name, args: {} } })
  const functionResponse = (name, n) => ({ functionResponse: { name, response: { n } } })
  const contents = [
    { role: 'user', parts: [{ text: 'go' }] },
    { role: 'model', parts: [functionCall('a'), functionCall('b'), functionCall('a')] },
    { role: 'user', parts: [functionResponse('b', 2), functionResponse('a', 1), functionResponse('a', 3)] },
  ]
  assert.equal((await client(sim).models.generateContent({ ...ask, contents })).text, '1 2 3')
})

test('a declared tool that the client forbids is not declared', async t => {
  const rules = [
    { when: { declared: ['a'] }, steps: [{ emit: [call('a')] }] },
    { steps: [{ emit: [{ say: 'no tools' }] }] },
  ]
  const sim = await simulate(t, { settings: { label: '' }, rules })
  const config = { tools, toolConfig: { functionCallingConfig: { mode: 'NONE' } } }
  assert.equal((await client(sim).models.generateContent({ ...ask, config })).text, 'no tools')
})

test('errors have the status and the body of Google', async t => {
  const sim = await simulate(t, steps([{ error: { status: 429, message: 'slow down', retryAfterSeconds: 2 } }]))
  await assert.rejects(client(sim).models.generateContent(ask), error => {
    const body = JSON.parse(error.message)
    assert.deepEqual(body, { error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } })
    return error.status === 429
  })
})

const user = { role: 'user', parts: [{ text: 'x' }] }
const model = { role: 'model', parts: [{ functionCall: { name: 'a', args: {} } }] }
const answer = { role: 'user', parts: [{ functionResponse: { name: 'a', response: {} } }] }
for (const [what, body, message] of [
  ['no JSON', '{', /not JSON/],
  ['no contents', {}, /contents/],
  ['an unknown name', { contents: [user], functions: [] }, /Unknown name "functions"/],
  ['an unknown role', { contents: [{ ...user, role: 'tool' }] }, /role/],
  ['no parts', { contents: [{ role: 'user', parts: [] }] }, /parts/],
  ['a call without an answer', { contents: [user, model, user] }, /number of function response parts/],
  ['a last call without an answer', { contents: [user, model] }, /number of function response parts/],
  ['an answer without a call', { contents: [answer] }, /immediately after/],
  [
    'a tool twice',
    { contents: [user], tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'a' }] }] },
    /duplicate/,
  ],
  [
    'a keyword that Gemini does not have',
    { contents: [user], tools: [{ functionDeclarations: [{ name: 'a', parameters: { type: 'OBJECT', oneOf: [] } }] }] },
    /oneOf/,
  ],
]) {
  test(`refused: ${what}`, async t => {
    const sim = await simulate(t, steps([{ say: 'no' }]))
    const response = await fetch(`${sim.url}/v1beta/models/m:generateContent`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const { error } = await response.json()
    assert.deepEqual([response.status, error.code, error.status], [400, 400, 'INVALID_ARGUMENT'])
    assert.match(error.message, message)
  })
}

test('a stream that is not of server-sent events is refused', async t => {
  const sim = await simulate(t, steps([{ say: 'no' }]))
  const init = { method: 'POST', body: JSON.stringify({ contents: [user] }) }
  const response = await fetch(`${sim.url}/v1beta/models/m:streamGenerateContent`, init)
  assert.equal(response.status, 400)
  assert.match((await response.json()).error.message, /alt=sse/)
  assert.equal((await fetch(`${sim.url}/v1beta/models/m:countTokens`, init)).status, 404)
})
