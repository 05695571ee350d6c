// The AI SDK as the service `llm`: its real OpenAI provider against a server on loopback.
import { createOpenAI } from '@ai-sdk/openai'
import { createAiSdkLlm } from '../../tools/_services/llm-ai-sdk.js'
import { startJsonServer } from './support/json-server.mjs'

const completion = content => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-x',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})
const request = { system: 'Rules', prompt: '{"task":"x"}', maxOutputTokens: 50 }

async function llmOf(answer, options) {
  const { baseUrl, requests } = await startJsonServer(() => answer)
  const model = createOpenAI({ apiKey: 'sk-secret', baseURL: `${baseUrl}/v1` }).chat('gpt-x')
  return { llm: createAiSdkLlm(model, options), requests }
}

test('the request and the text', async () => {
  const { llm, requests } = await llmOf({ body: completion('{"a":1}') })
  expect(await llm.generate(request)).toEqual({ text: '{"a":1}', model: 'gpt-x' })
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer sk-secret' },
    body: {
      model: 'gpt-x',
      max_tokens: 50,
      messages: [
        { role: 'system', content: 'Rules' },
        { role: 'user', content: '{"task":"x"}' },
      ],
    },
  })
})

const failed = { error: { message: 'sk-secret is bad', type: 'x', param: null, code: null } }
test.each([
  ['a wrong key', { status: 401, body: failed }, { code: 'AUTH_ERROR', status: 401 }],
  ['no permission', { status: 403, body: failed }, { code: 'FORBIDDEN' }],
  [
    'too many requests',
    { status: 429, headers: { 'retry-after': '7' }, body: failed },
    { code: 'RATE_LIMIT', retryAfter: 7 },
  ],
  ['a bad request', { status: 400, body: failed }, { code: 'REJECTED' }],
  ['an outage', { status: 500, body: failed }, { code: 'UNAVAILABLE' }],
  ['no JSON', { body: 'hello' }, { code: 'UNAVAILABLE' }],
  ['half an answer', { body: '{"id":' }, { code: 'UNAVAILABLE' }],
  ['a cut connection', { cut: true }, { code: 'UNAVAILABLE' }],
])('%s', async (_, answer, expected) => {
  const { llm, requests } = await llmOf(answer)
  const error = await llm.generate(request).catch(caught => caught)
  expect(error).toMatchObject({ name: 'ServiceError', ...expected })
  expect(error.message).not.toContain('sk-secret')
  // The gate retries, not the SDK.
  expect(requests).toHaveLength(1)
})

test('silence, and a caller that stops', async () => {
  const { llm } = await llmOf({ hang: true }, { timeoutMs: 100 })
  await expect(llm.generate(request)).rejects.toMatchObject({ code: 'TIMEOUT' })
  const stop = new AbortController()
  const waiting = llm.generate({ ...request, signal: stop.signal })
  stop.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
})

test('a host without a key, and what is no model', async () => {
  const before = process.env.OPENAI_API_KEY
  delete process.env.OPENAI_API_KEY
  try {
    const llm = createAiSdkLlm(createOpenAI({ baseURL: 'http://127.0.0.1:9/v1' }).chat('gpt-x'))
    await expect(llm.generate(request)).rejects.toMatchObject({ code: 'AUTH_ERROR' })
  } finally {
    if (before !== undefined) process.env.OPENAI_API_KEY = before
  }
  for (const model of [undefined, null, {}, 42]) expect(() => createAiSdkLlm(model)).toThrow(TypeError)
})
