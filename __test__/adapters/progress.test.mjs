// What a tool reports with `context.progress` while it runs, in the frameworks that take it: it is seen before the answer, and
// nothing that a framework does with it changes the call.
import { jest } from '@jest/globals'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { generateText, stepCountIs, streamText } from 'ai'
import aiSdk from '../../js/adapters/ai-sdk.js'
import langchain from '../../js/adapters/langchain.js'
import toolCall from '../../js/adapters/tool-call.js'
import { openNotes } from './note-tools.mjs'
import { scriptedModel, toolMessages } from './scripted-provider.mjs'

let notes
let warn
beforeEach(() => {
  warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
})
afterEach(async () => {
  warn.mockRestore()
  await notes.close()
})
const warnings = () => warn.mock.calls.filter(([, name]) => name === 'ToolgateWarning').map(([text]) => text)

const soon = () => new Promise(resolve => setTimeout(resolve, 5))
/** Reports two steps, one at once, and answers. */
const inSteps = async ({ progress, args }) => {
  progress({ step: 1 })
  await soon()
  progress({ step: 2 })
  await soon()
  return { ok: true, data: { echo: args } }
}
const atOnce = ({ args }) => ({ ok: true, data: { echo: args } })
const openWith = async (execute = inSteps) => {
  notes = await openNotes({ find_note: execute, send_note: execute })
}

const ID = 'call_find_0001'
const FIND = { id: ID, name: 'find_note', args: { query: 'roof' } }
const ANSWER = { ok: true, data: { echo: { query: 'roof', limit: 2 } } }
const STEPS = [1, 2].map(step => ({ ok: true, data: { status: 'running', callId: ID, progress: { step } } }))
const CHUNKS = [1, 2].map(step => ({ type: 'toolgate_progress', callId: ID, name: 'find_note', update: { step } }))
const ranOnce = () => expect(notes.ran.map(({ toolId }) => toolId)).toEqual(['find_note'])

describe('the AI SDK', () => {
  const asModel = call => ({ ...call, args: JSON.stringify(call.args) })
  const begin = options => {
    const { model, requests } = scriptedModel([[asModel(FIND)], 'done'])
    const tools = aiSdk.toAiSdkTools(notes.session, options)
    return { requests, model, tools, stopWhen: stepCountIs(2), prompt: 'go' }
  }
  /** The results of a streamed run, preliminary ones marked. */
  async function resultsOf({ requests: _, ...request }) {
    const results = []
    for await (const part of streamText(request).fullStream)
      if (part.type === 'tool-result') results.push([part.preliminary === true, part.output])
    return results
  }

  test('gives progress as preliminary results, before the result', async () => {
    await openWith()
    const run = begin({ progress: true })
    const results = await resultsOf(run)
    expect(results.map(([isPreliminary]) => isPreliminary)).toEqual([true, true, true, false])
    expect(results.map(([, output]) => output)).toMatchObject([...STEPS, ANSWER, ANSWER])
    expect(results[0][1].meta).toMatchObject({ pending: true, toolId: 'find_note', callId: ID })
    expect(results[3][1].meta.pending).toBeUndefined()
    expect(toolMessages(run.requests[1])[ID]).toEqual(ANSWER)
    ranOnce()
  })

  test('gives no progress unless it is asked for', async () => {
    await openWith()
    expect(await resultsOf(begin())).toMatchObject([[false, ANSWER]])
    ranOnce()
  })

  test('gives the answer alone where there is no progress, and nobody streams', async () => {
    await openWith(atOnce)
    const { requests, ...run } = begin({ progress: true })
    const { steps } = await generateText(run)
    expect(steps[0].toolResults.map(({ output }) => output)).toMatchObject([ANSWER])
    expect(toolMessages(requests[1])[ID]).toEqual(ANSWER)
    ranOnce()
  })

  test('an approved call reports too', async () => {
    await openWith()
    const { model } = scriptedModel([[{ id: 'call_send_0001', name: 'send_note', args: '{"to":"Ada"}' }]])
    const tools = aiSdk.toAiSdkTools(notes.session, { progress: true })
    const user = { role: 'user', content: 'send it' }
    const { content, response } = await generateText({ model, tools, messages: [user] })
    const [{ approvalId }] = content.filter(({ type }) => type === 'tool-approval-request')
    const approved = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId, approved: true }],
    }
    const results = await resultsOf({
      model: scriptedModel(['sent']).model,
      tools,
      messages: [user, ...response.messages, approved],
    })
    expect(results.map(([, { data }]) => data.progress ?? data.echo)).toEqual(
      expect.arrayContaining([{ step: 1 }, { step: 2 }, { to: 'Ada' }]),
    )
    expect(notes.ran).toHaveLength(1)
  })

  test('a reader that leaves early changes nothing: the call ends, and the same call gets its answer', async () => {
    await openWith()
    const tools = aiSdk.toAiSdkTools(notes.session, { progress: true })
    const how = { toolCallId: ID, messages: [{ role: 'user', content: 'go' }] }
    const read = []
    for await (const output of tools.find_note.execute(FIND.args, how)) {
      read.push(output)
      break
    }
    expect(read).toMatchObject([STEPS[0]])
    await expect(notes.session.execute(FIND)).resolves.toMatchObject(ANSWER)
    ranOnce()
  })

  test('an abort cancels the call, and ends its results', async () => {
    await openWith(async ({ progress, signal }) => {
      progress({ step: 1 })
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const tools = aiSdk.toAiSdkTools(notes.session, { progress: true })
    const stopped = new AbortController()
    const read = []
    const how = { toolCallId: ID, messages: [], abortSignal: stopped.signal }
    for await (const output of tools.find_note.execute(FIND.args, how)) {
      read.push(output)
      stopped.abort()
    }
    expect(read).toMatchObject([STEPS[0], { ok: false, error: { type: 'CANCELLED' } }])
  })
})

describe('LangGraph', () => {
  const call = { ...FIND, type: 'tool_call' }
  const graphOf = () =>
    new StateGraph(MessagesAnnotation)
      .addNode('tools', new ToolNode(langchain.toLangChainTools(notes.session)))
      .addEdge(START, 'tools')
      .compile()
  const input = () => ({ messages: [new HumanMessage('go'), new AIMessage({ content: '', tool_calls: [call] })] })
  const isAnswer = chunk => chunk.tools?.messages.map(({ content }) => JSON.parse(content))

  test('progress is in the custom stream, before the answer', async () => {
    await openWith()
    const seen = []
    for await (const [mode, chunk] of await graphOf().stream(input(), { streamMode: ['custom', 'updates'] }))
      seen.push(mode === 'custom' ? chunk : isAnswer(chunk))
    expect(seen).toEqual([...CHUNKS, [ANSWER]])
    ranOnce()
  })

  test('a call without progress writes nothing', async () => {
    await openWith(atOnce)
    const seen = []
    for await (const chunk of await graphOf().stream(input(), { streamMode: 'custom' })) seen.push(chunk)
    expect(seen).toEqual([])
    ranOnce()
  })

  test('a graph that nobody streams gets its answer', async () => {
    await openWith()
    const { messages } = await graphOf().invoke(input())
    expect(JSON.parse(messages.at(-1).content)).toEqual(ANSWER)
    ranOnce()
  })

  test('a writer that throws is called once, and the call is answered', async () => {
    await openWith()
    const [find] = langchain.toLangChainTools(notes.session).filter(({ name }) => name === 'find_note')
    let written = 0
    const writer = () => {
      written += 1
      throw new Error('closed')
    }
    const { artifact } = await find.invoke(call, { writer })
    expect([artifact, written]).toEqual([ANSWER, 1])
    await soon()
    expect(warnings()).toEqual(['the progress of `find_note` was not taken: closed'])
    ranOnce()
  })
})

describe('a framework without an adapter', () => {
  test('hears the progress of its own call alone, until the answer', async () => {
    let late
    await openWith(async context => {
      late = context.progress
      return inSteps(context)
    })
    const heard = []
    const makeCall = toolCall.wrapToolCall(notes.session)
    const make = (id, query) =>
      makeCall({ ...FIND, id, args: { query }, onProgress: ({ step }) => void heard.push(`${query} ${step}`) })
    await Promise.all([make('call_find_0001', 'roof'), make('call_find_0002', 'wall')])
    expect(heard.sort()).toEqual(['roof 1', 'roof 2', 'wall 1', 'wall 2'])
    expect(late({ step: 3 })).toBe(false)
    expect(heard).toHaveLength(4)
  })

  test('one that rejects what it is given loses no answer, and is warned about once', async () => {
    await openWith()
    const onProgress = () => Promise.reject(new Error('gone'))
    expect(await toolCall.wrapToolCall(notes.session)({ ...FIND, onProgress })).toEqual(ANSWER)
    await soon()
    expect(warnings()).toEqual(['the progress of `find_note` was not taken: gone'])
    ranOnce()
  })

  test('a replay reports nothing', async () => {
    await openWith()
    const heard = []
    const makeCall = toolCall.wrapToolCall(notes.session)
    for (let made = 0; made < 2; made += 1)
      await makeCall({ ...FIND, onProgress: ({ step }) => void heard.push([made, step]) })
    expect(heard).toEqual([
      [0, 1],
      [0, 2],
    ])
    ranOnce()
  })
})
