// A loaded registry: what it answers about its tools, and tools run without a session.
import { createRegistry, ToolError, validateToolResponse } from '../../index.js'
import { eventually, openGate } from '../support/gate.mjs'

const TOOLS = {
  find: {
    kind: 'read',
    properties: {
      query: { type: 'string', minLength: 2 },
      top_k: { type: 'integer', default: 5, minimum: 1, maximum: 10 },
    },
    required: ['query'],
  },
  send: { kind: 'write', requiresConfirmation: true, allowedModes: ['text'] },
  talk: { allowedModes: ['voice'] },
  plan: { requires: ['calendar', 'mail'] },
}
const open = options => openGate(TOOLS, options)

describe('questions about tools', () => {
  test('metadata of one, of a category, of none', async () => {
    const { registry } = await open()
    expect(registry.getToolMetadata('find')).toMatchObject({
      toolId: 'find',
      version: '1.0.0',
      title: 'Find',
      category: 'retrieval',
      sideEffects: 'read_only',
      idempotent: true,
      requiresConfirmation: false,
      allowedModes: ['text', 'voice'],
      timeoutMs: 25000,
      requires: [],
      requiredRoles: [],
      summary: 'Serves the tests as find.',
      jsonSchema: { type: 'object', required: ['query'] },
    })
    for (const unknown of ['nope', 'toString', '__proto__', undefined])
      expect(registry.getToolMetadata(unknown)).toBeNull()
    expect(registry.getToolsByCategory('utility').map(({ toolId }) => toolId)).toEqual(['plan', 'talk'])
    expect(registry.getToolsByCategory('nope')).toEqual([])
    expect(registry.getGitCommit()).toBeNull()
  })

  test('metadata is not to be changed', async () => {
    const { registry } = await open()
    expect(Object.isFrozen(registry.getToolMetadata('find'))).toBe(true)
  })

  test('summaries: one paragraph a tool, of the mode, of what its services allow', async () => {
    const { registry } = await open()
    expect(registry.getSummaries({ mode: 'text' })).toBe(
      '**find** (retrieval): Serves the tests as find.\n\n**send** (action): Serves the tests as send.',
    )
    expect(registry.getSummaries({ mode: 'voice', services: ['mail', 'calendar'] })).toBe(
      ['find** (retrieval)', 'plan** (utility)', 'talk** (utility)']
        .map(head => `**${head}: Serves the tests as ${head.slice(0, 4)}.`)
        .join('\n\n'),
    )
    expect(registry.getSummaries({ mode: 'nowhere' })).toBe('')
  })

  test('services of the registry show the tools that need them', async () => {
    const { registry } = await open({ services: { calendar: {}, mail: {} } })
    expect(registry.getSummaries()).toContain('**plan**')
    expect(registry.getProviderSchemas('mcp').map(({ name }) => name)).toContain('plan')
  })

  test('documentation is the guide as it was written', async () => {
    const { registry } = await open()
    expect(registry.getDocumentation('find')).toMatch(
      /^# find\n\nServes the tests as find\.\n\n## Parameters\n\n- `query`/,
    )
    for (const unknown of ['nope', '__proto__', undefined]) expect(registry.getDocumentation(unknown)).toBeNull()
  })

  test("declarations in the provider's form, OpenAI's by default", async () => {
    const { registry } = await open()
    const names = (provider, options) =>
      registry.getProviderSchemas(provider, options).map(tool => tool.name ?? tool.function.name)
    expect(registry.getProviderSchemas()).toEqual(registry.getProviderSchemas('openai'))
    expect(registry.getProviderSchemas('openai', { mode: 'text' })[0]).toMatchObject({
      type: 'function',
      function: { name: 'find', parameters: { type: 'object' } },
    })
    expect(registry.getProviderSchemas('openaiRealtime')[0]).toMatchObject({ type: 'function', name: 'find' })
    expect(registry.getProviderSchemas('geminiNative')[0].parameters.type).toBe('OBJECT')
    expect(registry.getProviderSchemas('mcp')[0]).toMatchObject({
      name: 'find',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    })
    expect(registry.getProviderSchemas('openaiStrict')[0].function).toMatchObject({
      strict: true,
      parameters: {
        properties: { top_k: { type: ['integer', 'null'], minimum: 1 } },
        required: ['query', 'top_k'],
        additionalProperties: false,
      },
    })
    expect(registry.getProviderSchemas('openaiResponses')[0]).toMatchObject({
      type: 'function',
      name: 'find',
      strict: true,
    })
    expect(registry.getProviderSchemas('geminiJson')[0].parametersJsonSchema).toMatchObject({
      type: 'object',
      required: ['query'],
    })
    expect(registry.getProviderSchemas('anthropic')[0].input_schema).toMatchObject({
      type: 'object',
      required: ['query'],
    })
    for (const provider of [
      'openai',
      'openaiStrict',
      'openaiResponses',
      'openaiRealtime',
      'geminiNative',
      'geminiJson',
      'anthropic',
      'mcp',
    ]) {
      expect(names(provider, { mode: 'voice' })).toEqual(['find', 'talk'])
      expect(names(provider, { mode: 'text' })).toEqual(['find', 'send'])
    }
  })

  test('what a model sends to a strict declaration is what it means', async () => {
    const { registry } = await open()
    for (const args of [{ query: 'tea', top_k: null }, '{"query":"tea","top_k":null}']) {
      expect(registry.validateArgs('find', args)).toEqual({ valid: true, errors: [], args: { query: 'tea', top_k: 5 } })
    }
    expect(registry.validateArgs('find', { query: null, top_k: null }).valid).toBe(false)
  })

  test('a tool that can not be strict is listed as it is, and the receipt says why', async () => {
    const map = { type: 'object', additionalProperties: { type: 'string' } }
    const { registry } = await openGate({
      set: { properties: { labels: map }, required: ['labels'] },
      say: { properties: { text: { type: 'string' } } },
    })
    const [say, set] = registry.getProviderSchemas('openaiStrict')
    expect(say.function.strict).toBe(true)
    expect(set).toEqual(registry.getProviderSchemas('openai')[1])
    expect(registry.getProviderSchemas('openaiResponses').map(({ strict }) => strict)).toEqual([true, false])
    expect(registry.getToolMetadata('set').lowering.openaiStrict).toEqual([
      { pointer: '/properties/labels', change: expect.stringContaining('there is no declaration'), lost: true },
    ])
  })

  test('a tool without arguments declares no parameters to Gemini', async () => {
    const { registry } = await open()
    expect(registry.getProviderSchemas('geminiNative', { mode: 'voice' })[1]).not.toHaveProperty('parameters')
  })

  test.each([
    ['gemini', 'its forms are `geminiNative`, `geminiJson`'],
    ['openia', 'did you mean `openai`?'],
    ['MCP', 'its forms are `mcp`'],
    ['a', 'use one of `openai`'],
    ['', 'use one of `openai`'],
  ])('the name %p is answered with what is right', async (provider, hint) => {
    const { registry } = await openGate({ plain: {} })
    expect(() => registry.getProviderSchemas(provider)).toThrow(`unknown provider \`${provider}\`: ${hint}`)
  })

  test.each(['nope', '', 'toString', 'OpenAI', null, 7])('the unknown provider %p throws', async provider => {
    const { registry } = await open()
    expect(() => registry.getProviderSchemas(provider)).toThrow(TypeError)
    expect(() => registry.getProviderSchemas(provider)).toThrow(`unknown provider \`${provider}\`: `)
  })
})

describe('validateArgs', () => {
  test('gives the completed arguments, of an object and of text', async () => {
    const { registry } = await open()
    const expected = { valid: true, errors: [], args: { query: 'tea', top_k: 5 } }
    expect(registry.validateArgs('find', { query: 'tea' })).toEqual(expected)
    expect(registry.validateArgs('find', '{"query":"tea"}')).toEqual(expected)
    expect(registry.validateArgs('talk', null)).toEqual({ valid: true, errors: [], args: {} })
  })

  test('tells every finding at once, with pointers', async () => {
    const { registry } = await open()
    const { valid, errors, args } = registry.validateArgs('find', { top_k: 'three', extra: 1 })
    expect([valid, args]).toEqual([false, undefined])
    expect(errors.map(({ instancePath, keyword }) => [keyword, instancePath]).sort()).toEqual([
      ['additionalProperties', ''],
      ['required', ''],
      ['type', '/top_k'],
    ])
    for (const error of errors)
      expect(Object.keys(error)).toEqual(
        expect.arrayContaining(['instancePath', 'schemaPath', 'keyword', 'params', 'message']),
      )
  })

  test('what is no JSON is one finding', async () => {
    const { registry } = await open()
    for (const args of ['{', { a: 1n }]) {
      expect(registry.validateArgs('find', args)).toEqual({
        valid: false,
        errors: [expect.objectContaining({ keyword: 'json', instancePath: expect.any(String) })],
      })
    }
  })

  test('an unknown tool is misuse', async () => {
    const { registry } = await open()
    expect(() => registry.validateArgs('fnd', {})).toThrow(ToolError)
    expect(() => registry.validateArgs('fnd', {})).toThrow('there is no tool `fnd`')
  })
})

describe("executeTool: no session's policy", () => {
  test('validates, runs, normalizes', async () => {
    const { registry } = await open()
    const answer = await registry.executeTool('find', { args: { query: 'tea' } })
    expect(answer).toMatchObject({
      ok: true,
      data: { query: 'tea', top_k: 5 },
      intents: [],
      meta: { toolId: 'find', toolVersion: '1.0.0', defaulted: ['/top_k'] },
    })
    expect(validateToolResponse(answer)).toBe(true)
    for (let n = 0; n < 8; n += 1)
      expect((await registry.executeTool('find', { args: { query: 'tea' } })).ok).toBe(true)
  })

  test("the mode's clamps apply", async () => {
    const { registry } = await open()
    const { data, meta } = await registry.executeTool('find', { args: { query: 'tea', top_k: 9 }, mode: 'voice' })
    expect(data.top_k).toBe(3)
    expect(meta.clamped).toEqual([{ path: '/top_k', from: 9, to: 3 }])
  })

  test.each([
    ['find', { args: {} }, 'VALIDATION'],
    ['find', { args: '{' }, 'VALIDATION'],
    ['find', {}, 'VALIDATION'],
    ['nope', {}, 'NOT_FOUND'],
    ['plan', {}, 'NOT_FOUND'],
    ['send', {}, 'CONFIRMATION_REQUIRED'],
    [undefined, {}, 'NOT_FOUND'],
  ])('%p with %j is %s, as data', async (name, context, type) => {
    const { registry } = await open()
    const answer = await registry.executeTool(name, context)
    expect(answer).toMatchObject({ ok: false, error: { type, retryable: false, partialSideEffects: false } })
    expect(validateToolResponse(answer)).toBe(true)
  })

  test('the handler gets what the host gives', async () => {
    let seen
    const { registry } = await openGate(
      {
        probe: {
          execute: context => {
            seen = context
            return { ok: true }
          },
        },
      },
      { services: { kb: { name: 'kb' } } },
    )
    const sent = []
    const ws = { readyState: 1 }
    await registry.executeTool('probe', {
      clientId: 'c1',
      ws,
      geminiSession: 7,
      services: { mail: 1 },
      messaging: message => sent.push(message),
      mode: 'voice',
    })
    expect(seen).toMatchObject({
      clientId: 'c1',
      geminiSession: 7,
      mode: 'voice',
      kb: { name: 'kb' },
      mail: 1,
      capabilities: { messaging: true },
    })
    expect(seen.ws).toBe(ws)
    seen.messaging.send('hi')
    expect(sent).toEqual(['hi'])
    expect(seen.session.toolsVersion).toBe(registry.getVersion())
  })
})

describe('metrics', () => {
  test('count calls, errors and replays by tool and mode', async () => {
    const { registry, session } = await open()
    const voice = await session({ mode: 'voice' })
    const call = { id: 'call_metrics_1', name: 'find', args: { query: 'tea' } }
    await voice.execute(call)
    await voice.execute(call)
    await voice.execute({ name: 'find', args: {} })
    await voice.execute({ name: 'made_up_by_a_model' })
    const metrics = registry.getMetrics()
    expect(metrics.find.voice).toMatchObject({ calls: 2, errors: { VALIDATION: 1 }, replays: 1, timeouts: 0 })
    expect(metrics.find.voice.latencyMs.p50).toBeGreaterThanOrEqual(0)
    expect(metrics.find.total).toMatchObject({ calls: 2, errors: { VALIDATION: 1 }, replays: 1 })
    expect(Object.keys(metrics)).not.toContain('made_up_by_a_model')
  })

  test('latencies are as long as the calls were', async () => {
    const { registry } = await openGate({
      slow: { execute: () => new Promise(resolve => setTimeout(resolve, 30, { ok: true })) },
    })
    await registry.executeTool('slow')
    expect(registry.getMetrics().slow.text.latencyMs.p50).toBeGreaterThan(20)
  })
})

describe('close', () => {
  test('later calls of a session that was there are refused', async () => {
    const { registry, session } = await open()
    const before = await session()
    await registry.close()
    expect((await before.execute({ name: 'find', args: { query: 'tea' } })).error?.type).toBe('SESSION_INACTIVE')
  })

  test('later sessions and direct calls are refused; closing twice is fine', async () => {
    const { registry, session } = await open()
    await registry.close()
    await registry.close()
    await expect(session()).rejects.toThrow('the registry is closed')
    expect((await registry.executeTool('find', { args: { query: 'tea' } })).error.type).toBe('SESSION_INACTIVE')
    expect(registry.getVersion()).toMatch(/^1\.0\./)
  })

  test('a registry that was never loaded closes', async () => {
    await expect(createRegistry().close()).resolves.toBeUndefined()
  })

  test('waits for what runs', async () => {
    let finish
    const { registry, session } = await openGate({
      slow: {
        kind: 'write',
        execute: () =>
          new Promise(resolve => {
            finish = resolve
          }),
      },
    })
    const answer = (await session()).execute({ name: 'slow' })
    let closed = false
    const closing = registry.close({ timeoutMs: Infinity }).then(() => {
      closed = true
    })
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(closed).toBe(false)
    finish({ ok: true, data: 1 })
    expect((await answer).data).toBe(1)
    await closing
  })

  test('aborts what does not end, and every call is answered', async () => {
    const signals = []
    const never = ({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    }
    const { registry, session } = await openGate({
      read: { kind: 'read', execute: never },
      write: { kind: 'write', execute: never },
    })
    const s = await session()
    const answers = Promise.all([s.execute({ name: 'read' }), s.execute({ name: 'write' })])
    await registry.close({ timeoutMs: 0 })
    expect((await answers).map(({ error }) => [error.type, error.details.outcome])).toEqual([
      ['CANCELLED', 'aborted'],
      ['CANCELLED', 'unknown'],
    ])
    await eventually(() => signals.every(signal => signal.aborted), 'the signals were not aborted')
    expect(signals.map(signal => [signal.aborted, signal.reason.name, signal.reason.message])).toEqual(
      Array(2).fill([true, 'AbortError', 'shutdown']),
    )
  })

  test.each([-1, NaN, '5', null])('a patience of %p is misuse', async timeoutMs => {
    const { registry } = await open()
    await expect(registry.close({ timeoutMs })).rejects.toThrow(/`timeoutMs` must be a number of milliseconds/)
  })
})
