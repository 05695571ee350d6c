// Every text protocol through the AI SDK's providers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { simulate } from './simulate.mjs'

const scenario = {
  settings: { label: '', pieceChars: 8 },
  rules: [
    {
      when: { user: { regex: '^who knows about (?<topic>.+?)\\??$' }, declared: ['kb_search'] },
      steps: [
        { emit: [{ call: { name: 'kb_search', args: { query: '{{match.topic}}' } } }] },
        {
          choose: [
            {
              if: { path: 'result.data.results.0', exists: true },
              emit: [{ say: 'According to {{result.data.results.0.title}} [{{result.data.results.0.id}}].' }],
            },
            { emit: [{ say: 'Nobody does.' }] },
          ],
        },
      ],
    },
  ],
}

const openAi = ({ url }) => createOpenAI({ apiKey: 'x', baseURL: `${url}/v1` })
/** OpenAI's provider uses the Responses API by default. */
const MODELS = {
  'Chat Completions': sim => openAi(sim).chat('gpt-x'),
  Responses: sim => openAi(sim)('gpt-x'),
  Messages: ({ url }) => createAnthropic({ apiKey: 'x', baseURL: `${url}/v1` })('claude-x'),
  generateContent: ({ url }) => createGoogleGenerativeAI({ apiKey: 'x', baseURL: `${url}/v1beta` })('gemini-x'),
}

function setUp(sim, results, modelOf) {
  const queries = []
  const execute = async ({ query }) => {
    queries.push(query)
    return { ok: true, data: { results } }
  }
  const kbSearch = tool({ description: 'search', inputSchema: z.object({ query: z.string() }), execute })
  const model = modelOf(sim)
  return { queries, options: { model, tools: { kb_search: kbSearch }, stopWhen: stepCountIs(5), maxRetries: 0 } }
}

for (const [name, modelOf] of Object.entries(MODELS)) {
  test(`${name}: streamText runs the tool loop and streams the citation`, async t => {
    const sim = await simulate(t, scenario)
    const { queries, options } = setUp(sim, [{ id: 'person:ada', title: 'Ada Example' }], modelOf)
    const result = streamText({ ...options, prompt: 'Who knows about engines?' })
    const pieces = []
    for await (const piece of result.textStream) pieces.push(piece)
    assert.deepEqual(queries, ['engines'])
    assert.equal(pieces.join(''), 'According to Ada Example [person:ada].')
    assert.ok(pieces.length > 3)
    assert.equal((await result.steps).length, 2)
    assert.ok((await result.totalUsage).totalTokens > 0)
  })

  test(`${name}: generateText runs the same loop without streaming`, async t => {
    const sim = await simulate(t, scenario)
    const { queries, options } = setUp(sim, [], modelOf)
    const { text, steps, finishReason } = await generateText({ ...options, prompt: 'who knows about nothing?' })
    assert.deepEqual([queries, text, steps.length, finishReason], [['nothing'], 'Nobody does.', 2, 'stop'])
  })

  test(`${name}: arguments that are no JSON reach the SDK as an invalid call, and the loop goes on`, async t => {
    const sim = await simulate(t, {
      settings: { label: '' },
      rules: [
        { steps: [{ emit: [{ call: { name: 'kb_search', rawArgs: '{"query": ' } }] }, { emit: [{ say: 'sorry' }] }] },
      ],
    })
    const { queries, options } = setUp(sim, [], modelOf)
    const { text, steps } = await generateText({ ...options, prompt: 'go' })
    assert.deepEqual([queries, text, steps[0].toolCalls[0].invalid], [[], 'sorry', true])
  })
}
