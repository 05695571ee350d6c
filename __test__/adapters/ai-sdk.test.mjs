// The AI SDK adapter under the real `streamText` and `generateText`: every call ends in exactly one ToolResponse, which is
// its output; the model gets its lean form, without a confirmation token.
import { generateText, stepCountIs, streamText } from 'ai'
import aiSdk from '../../js/adapters/ai-sdk.js'
import { openNotes } from './note-tools.mjs'
import { answerIn, scriptedModel, toolMessages } from './scripted-provider.mjs'

const { toAiSdkTools, repairToolCall } = aiSdk

let notes
afterEach(async () => {
  await notes?.close()
  notes = undefined
})

/** Runs `rounds` to the end, streamed; gives what the model got and what the host saw. */
async function converse(rounds, { handlers, tools, ...settings } = {}) {
  notes = await openNotes(handlers)
  const { registry, session } = notes
  const answers = []
  const onToolResponse = (response, call) => answers.push({ response, call })
  const { model, requests } = scriptedModel(rounds)
  const result = streamText({
    model,
    prompt: 'go',
    tools: tools ? tools(session, registry) : toAiSdkTools(session, { registry, onToolResponse }),
    experimental_repairToolCall: repairToolCall,
    stopWhen: stepCountIs(rounds.length),
    ...settings,
  })
  const parts = []
  for await (const part of result.fullStream) parts.push(part)
  return { requests, answers, parts, ran: notes.ran, session, registry }
}

const call = (id, name, args) => ({ id, name, args: typeof args === 'string' ? args : JSON.stringify(args) })
const ofType = (parts, type) => parts.filter(part => part.type === type)

/** The one answer to a call as the model gets it; fails if there is not exactly one. */
function answerTo(id, { requests, parts }) {
  expect(ofType(parts, 'tool-result').filter(part => part.toolCallId === id)).toHaveLength(1)
  expect(ofType(parts, 'tool-error')).toEqual([])
  const seen = requests[1].messages.filter(message => message.tool_call_id === id)
  expect(seen).toHaveLength(1)
  return answerIn(seen[0].content)
}

/** The output of a call, as the host gets it. */
const outputOf = (id, { parts }) => ofType(parts, 'tool-result').find(part => part.toolCallId === id).output

describe('declarations', () => {
  test('declares the tools of the mode with their schemas, and no others', async () => {
    const { requests, registry } = await converse(['hello'])
    const declared = registry.getProviderSchemas('openai', { mode: 'text' })
    const asSent = declared.map(({ type, function: tool }) => ({ type, function: { ...tool, strict: false } }))
    expect(requests[0].tools).toEqual(asSent)
    expect(declared.map(tool => tool.function.name).sort()).toEqual(['find_note', 'send_note', 'wait_for_note'])
  })

  test('a tool whose service is missing is declared to a session that brings the service', async () => {
    notes = await openNotes()
    const { registry, session } = notes
    expect(Object.keys(toAiSdkTools(session, { registry }))).not.toContain('read_mail')
    expect(Object.keys(toAiSdkTools(session, { registry, services: ['mail'] }))).toContain('read_mail')
  })
})

describe('answers', () => {
  test('a good call runs once, its output is the full ToolResponse, and the model gets the lean one', async () => {
    const run = await converse([[call('call_find_0001', 'find_note', { query: 'roof' })], 'done'])
    const data = { echo: { query: 'roof', limit: 2 } }
    expect(answerTo('call_find_0001', run)).toEqual({ ok: true, data })
    const output = outputOf('call_find_0001', run)
    expect(output).toMatchObject({ ok: true, data, intents: [] })
    expect(output.meta).toMatchObject({ toolId: 'find_note', callId: 'call_find_0001', mode: 'text' })
    expect(run.ran).toEqual([{ toolId: 'find_note', args: { query: 'roof', limit: 2 } }])
    expect(run.answers).toHaveLength(1)
  })

  test('the model gets the full ToolResponse if the host chooses it', async () => {
    const tools = (session, registry) => toAiSdkTools(session, { registry, meta: 'full' })
    const run = await converse([[call('call_find_0001', 'find_note', { query: 'roof' })], 'done'], { tools })
    expect(answerTo('call_find_0001', run)).toEqual(outputOf('call_find_0001', run))
    expect(() => toAiSdkTools(run.session, { meta: 'short' })).toThrow('`meta` must be')
  })

  test('generateText gets the same', async () => {
    notes = await openNotes()
    const { registry, session, ran } = notes
    const { model, requests } = scriptedModel([
      [call('call_find_0001', 'find_note', { query: 'roof' }), call('call_bad_0002', 'find_note', '{"query": "ro')],
      'done',
    ])
    const result = await generateText({
      model,
      prompt: 'go',
      tools: toAiSdkTools(session, { registry }),
      experimental_repairToolCall: repairToolCall,
      stopWhen: stepCountIs(2),
    })
    const seen = toolMessages(requests[1])
    expect(result.text).toBe('done')
    expect(seen.call_find_0001).toMatchObject({ ok: true, data: { echo: { query: 'roof' } } })
    expect(seen.call_bad_0002).toMatchObject({ ok: false, error: { type: 'VALIDATION' } })
    expect(ran).toHaveLength(1)
  })

  test('parallel calls each get their own answer', async () => {
    const ids = ['call_a_00001', 'call_b_00002', 'call_c_00003']
    const run = await converse([ids.map(id => call(id, 'find_note', { query: id })), 'done'])
    for (const id of ids) {
      expect(answerTo(id, run)).toMatchObject({ ok: true, data: { echo: { query: id } } })
      expect(outputOf(id, run).meta.callId).toBe(id)
    }
    expect(run.ran).toHaveLength(3)
  })

  test('a failure reaches the stream as a result and the model as an error', async () => {
    const handlers = { find_note: () => ({ ok: false, error: { type: 'PERMANENT', message: 'the shelf is gone' } }) }
    const run = await converse([[call('call_find_0001', 'find_note', { query: 'x' })], 'done'], { handlers })
    expect(answerTo('call_find_0001', run).error).toMatchObject({ type: 'PERMANENT', message: 'the shelf is gone' })
    const { find_note: tool } = toAiSdkTools(run.session, { registry: run.registry })
    expect(tool.toModelOutput({ output: { ok: false } }).type).toBe('error-json')
    expect(tool.toModelOutput({ output: { ok: true } }).type).toBe('json')
  })

  test('a throwing listener of the host takes no answer away', async () => {
    const { emitWarning } = process
    const warned = new Promise(resolve => (process.emitWarning = resolve))
    const onToolResponse = () => {
      throw new Error('the listener is broken')
    }
    const tools = (session, registry) => toAiSdkTools(session, { registry, onToolResponse })
    const run = await converse([[call('call_find_0001', 'find_note', { query: 'x' })], 'done'], { tools })
    expect(answerTo('call_find_0001', run).ok).toBe(true)
    expect(await warned).toContain('the listener is broken')
    process.emitWarning = emitWarning
  })
})

describe('bad calls are answered by the gate', () => {
  test.each([
    ['missing property', {}],
    ['unknown property', { query: 'x', colour: 'red' }],
    ['wrong type', { query: {} }],
    ['an array', []],
    ['a bare string', '"roof"'],
    ['arguments encoded three times', JSON.stringify(JSON.stringify(JSON.stringify({ query: 'x' })))],
    ['cut JSON', '{"query": "ro'],
    ['no JSON at all', 'query=roof'],
    ['a prototype key', '{"query":"x","__proto__":{"limit":1}}'],
    ['a key like the internal one', '{"toolgate:unparsed":"{\\"query\\":\\"x\\"}"}'],
  ])('%s is VALIDATION and runs nothing', async (_what, args) => {
    const run = await converse([[call('call_bad_0001', 'find_note', args)], 'done'])
    const answer = answerTo('call_bad_0001', run)
    expect(answer).toMatchObject({ ok: false, error: { type: 'VALIDATION', retryable: false } })
    expect(outputOf('call_bad_0001', run).meta.callId).toBe('call_bad_0001')
    expect(run.ran).toEqual([])
    expect(run.answers).toHaveLength(1)
  })

  test('the gate sees broken JSON as it came, and the history carries an empty object', async () => {
    const run = await converse([[call('call_bad_0001', 'find_note', '{"query": "ro')], 'done'])
    const [, sent] = run.requests[1].messages
    expect(sent.tool_calls[0].function).toEqual({ name: 'find_note', arguments: '{}' })
    expect(JSON.stringify(run.requests[1])).not.toContain('toolgate:unparsed')
  })

  test('no arguments at all are an empty object', async () => {
    const handlers = { wait_for_note: () => ({ ok: true, data: 'none came' }) }
    const run = await converse([[call('call_wait_0001', 'wait_for_note', '')], 'done'], { handlers })
    expect(answerTo('call_wait_0001', run)).toMatchObject({ ok: true, data: 'none came' })
  })

  test.each(['find_notes', 'constructor', '__proto__', 'toString'])('the unknown tool %s is NOT_FOUND', async name => {
    const run = await converse([[call('call_none_0001', name, {})], 'done'])
    expect(answerTo('call_none_0001', run)).toMatchObject({ ok: false, error: { type: 'NOT_FOUND' } })
    expect(outputOf('call_none_0001', run).meta.toolVersion).toBe(null)
    expect(run.requests[1].tools).toEqual(run.requests[0].tools)
  })

  test('an unknown tool is answered too when the tools were spread and filtered', async () => {
    const tools = (session, registry) => ({ ...toAiSdkTools(session, { registry }) })
    const rounds = [[call('call_none_0001', 'find_notes', {})], 'done']
    const run = await converse(rounds, { tools, activeTools: ['find_note'] })
    expect(answerTo('call_none_0001', run).error.type).toBe('NOT_FOUND')
  })

  test('a tool of another mode is MODE_RESTRICTED', async () => {
    const run = await converse([[call('call_hang_0001', 'hang_up', {})], 'done'])
    expect(answerTo('call_hang_0001', run)).toMatchObject({ ok: false, error: { type: 'MODE_RESTRICTED' } })
    expect(run.ran).toEqual([])
  })

  test("tools that are not the gate's keep the errors of the AI SDK", async () => {
    const repaired = await repairToolCall({
      toolCall: { toolCallId: '1', toolName: 'other', input: '' },
      tools: { own: {} },
    })
    expect(repaired).toBeNull()
  })
})

describe('confirmation', () => {
  test('the token goes to the host and never to the model or the stream', async () => {
    const run = await converse([[call('call_send_0001', 'send_note', { to: 'Ada' })], 'done'])
    const seen = answerTo('call_send_0001', run)
    const { token } = run.answers[0].response.error.confirmation_request
    expect(seen.error).toMatchObject({
      type: 'CONFIRMATION_REQUIRED',
      confirmation_request: { tool: 'send_note', args: { to: 'Ada' } },
    })
    expect(token.length).toBeGreaterThan(16)
    expect(JSON.stringify(run.requests)).not.toContain(token)
    expect(JSON.stringify(run.parts)).not.toContain(token)
    expect(run.ran).toEqual([])
    expect(await run.session.confirm(token)).toMatchObject({ ok: true, data: { echo: { to: 'Ada' } } })
    expect(run.ran).toHaveLength(1)
  })
})

describe('abort', () => {
  test('an aborted request cancels its running call', async () => {
    let started
    const running = new Promise(resolve => (started = resolve))
    let sawAbort
    const aborted = new Promise(resolve => (sawAbort = resolve))
    notes = await openNotes({
      wait_for_note: ({ signal }) => {
        signal.addEventListener('abort', sawAbort)
        started()
        return new Promise(() => {})
      },
    })
    const request = new AbortController()
    const tools = toAiSdkTools(notes.session, { registry: notes.registry })
    const answer = tools.wait_for_note.execute({}, { toolCallId: 'call_wait_0001', abortSignal: request.signal })
    await running
    request.abort()
    expect(await answer).toMatchObject({ ok: false, error: { type: 'CANCELLED' }, meta: { callId: 'call_wait_0001' } })
    await aborted
  })

  test('streamText hands its signal to the call', async () => {
    const request = new AbortController()
    let signalled
    const cancelled = new Promise(resolve => (signalled = resolve))
    const handlers = {
      wait_for_note: ({ signal }) => {
        signal.addEventListener('abort', signalled)
        request.abort()
        return new Promise(() => {})
      },
    }
    const run = await converse([[call('call_wait_0001', 'wait_for_note', {})], 'never'], {
      handlers,
      abortSignal: request.signal,
    })
    await cancelled
    expect(ofType(run.parts, 'abort')).toHaveLength(1)
    expect(run.requests).toHaveLength(1)
  })

  test('a request that is already aborted starts nothing, and is answered as by the gate', async () => {
    let started
    const running = new Promise(resolve => (started = resolve))
    notes = await openNotes({ wait_for_note: () => new Promise(() => started()) })
    const { registry, session, ran } = notes
    const { wait_for_note: tool } = toAiSdkTools(session, { registry })
    const request = new AbortController()
    const cancelled = tool.execute({}, { toolCallId: 'call_wait_0001', abortSignal: request.signal })
    await running
    request.abort()
    const late = await tool.execute({}, { toolCallId: 'call_wait_0001', abortSignal: request.signal })
    const { meta, ...byGate } = await cancelled
    const measured = { duration: expect.any(Number), timestamp: expect.any(String) }
    expect(late).toEqual({ ...byGate, meta: { ...meta, ...measured } })
    expect(ran).toHaveLength(1)
  })
})
