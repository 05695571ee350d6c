// `toolSearch: 'gate'` in the adapters: the tools of each request of the AI SDK and of the OpenAI Agents SDK.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, Runner, Usage, setTracingDisabled } from '@openai/agents'
import { generateText, jsonSchema, stepCountIs, tool } from 'ai'

import { prepareFoundTools, repairToolCall, toAiSdkTools } from '../../js/adapters/ai-sdk.js'
import { toAgentTools } from '../../js/adapters/openai-agents.js'
import { scriptedModel, toolMessages } from '../adapters/scripted-provider.mjs'
import { THREE_NEEDS } from '../../bench/search/many-tools.mjs'
import { META_TOOLS, openManyTools } from './many-tools-gate.mjs'
import { searchingMessages, searchingResponses } from './searching-providers.mjs'

setTracingDisabled(true)
const META = Object.keys(META_TOOLS)
const SEARCH = '{"query":"track a shipment","limit":1}'
const TRACK = '{"number":"S-7"}'
let many
let session

beforeAll(async () => {
  many = await openManyTools()
})
beforeEach(async () => {
  session = await many.registry.createSession({ mode: 'text', toolSearch: 'gate' })
})
afterAll(() => many.close())

describe('the AI SDK', () => {
  const own = tool({ description: 'of the host', inputSchema: jsonSchema({ type: 'object' }), execute: () => 'own' })

  async function converse(rounds) {
    const { model, requests } = scriptedModel(rounds)
    const tools = Object.assign(toAiSdkTools(session), { own })
    const { text } = await generateText({
      model,
      tools,
      prompt: 'go',
      prepareStep: prepareFoundTools(session, tools),
      experimental_repairToolCall: repairToolCall,
      stopWhen: stepCountIs(rounds.length),
    })
    return { text, requests, declared: requests.map(request => request.tools.map(one => one.function.name)) }
  }

  test("declares found tools from the next step on, and the host's own in each", async () => {
    const { text, declared, requests } = await converse([
      [{ id: 'call_search_0001', name: 'reg_search', args: SEARCH }],
      [{ id: 'call_track_00001', name: 'shipment_track', args: TRACK }],
      'done',
    ])
    expect(text).toBe('done')
    const after = [...META, 'shipment_track', 'own']
    expect(declared).toEqual([[...META, 'own'], after, after])
    expect(toolMessages(requests[2]).call_track_00001).toMatchObject({ ok: true, data: { number: 'S-7' } })
  })

  test('a call of a tool that was not found is answered by the gate', async () => {
    const { declared, requests } = await converse([
      [{ id: 'call_print_00001', name: 'recipe_print', args: '{"number":{}}' }],
      'done',
    ])
    expect(declared[1]).toEqual([...META, 'own'])
    expect(toolMessages(requests[1]).call_print_00001).toMatchObject({ error: { type: 'VALIDATION' } })
  })
})

describe('the AI SDK with `deferred` and the tool search of the provider', () => {
  const PROVIDERS = {
    openai: {
      scripted: searchingResponses,
      toolsOf: fetch => createOpenAI({ apiKey: 'any', baseURL: 'http://scripted.invalid/v1', fetch }),
      searchOf: provider => ({ tool_search: provider.tools.toolSearch() }),
    },
    anthropic: {
      scripted: searchingMessages,
      toolsOf: fetch => createAnthropic({ apiKey: 'any', baseURL: 'http://scripted.invalid/v1', fetch }),
      searchOf: provider => ({ tool_search_tool_bm25: provider.tools.toolSearchBm25_20251119() }),
    },
  }

  test.each(Object.entries(PROVIDERS))('%s', async (_name, { scripted, toolsOf, searchOf }) => {
    const { fetch, requests } = scripted()
    const provider = toolsOf(fetch)
    const calls = []
    const onToolCall = ({ name, args }) => calls.push({ name, args })
    const deferring = await many.registry.createSession({ mode: 'text', toolSearch: 'provider', onToolCall })
    const { text } = await generateText({
      model: provider('any'),
      prompt: 'go',
      maxOutputTokens: 999,
      tools: Object.assign(toAiSdkTools(deferring), searchOf(provider)),
      stopWhen: stepCountIs(5),
    })
    expect(text).toBe('All three are done.')
    expect(calls).toEqual(THREE_NEEDS.map(({ name, args }) => ({ name, args })))
    expect(requests[0].tools.filter(one => one.defer_loading)).toHaveLength(502)
  })
})

test('the OpenAI Agents SDK declares found tools from the next request on', async () => {
  const call = (callId, name, args) => ({ type: 'function_call', callId, name, arguments: args, status: 'completed' })
  const content = [{ type: 'output_text', text: 'done' }]
  const rounds = [
    [call('call_search_0001', 'reg_search', SEARCH)],
    [call('call_track_00001', 'shipment_track', TRACK)],
    [{ type: 'message', role: 'assistant', status: 'completed', content }],
  ]
  const declared = []
  const model = {
    async getResponse({ tools }) {
      const output = rounds[declared.length]
      declared.push(tools.map(({ name }) => name))
      return { usage: new Usage(), output, responseId: `r${declared.length}` }
    },
  }
  const agent = new Agent({ name: 'many', model, tools: toAgentTools(session) })
  const { finalOutput } = await new Runner().run(agent, 'go')
  expect(finalOutput).toBe('done')
  const after = [...META, 'shipment_track']
  expect(declared).toEqual([META, after, after])
})
