// Tools for an MCP client: what is listed, and what a call's answer becomes.
import { asked, attached, envelopeOf } from './support.mjs'
import { eventually, openGate } from '../support/gate.mjs'

const NOTE = {
  type: 'object',
  additionalProperties: false,
  required: ['text'],
  properties: { text: { type: 'string' }, words: { type: 'array', items: { type: 'string' } } },
}
const TOOLS = {
  say: {
    properties: { text: { type: 'string', minLength: 2 } },
    required: ['text'],
    resultSchema: NOTE,
    execute: ({ args }) => ({ ok: true, data: args }),
  },
  plain: { execute: () => ({ ok: true, data: 7 }) },
  empty: { resultSchema: NOTE, execute: () => ({ ok: true }) },
  fail: { execute: () => ({ ok: false, error: { type: 'PERMANENT', message: 'no way' } }) },
  lost: { resultSchema: NOTE, execute: () => ({ ok: false, error: { type: 'NOT_FOUND', message: 'no such record' } }) },
  spoken: { allowedModes: ['voice'] },
}

test('the tools of the mode are listed as they are declared', async () => {
  const { registry } = await openGate(TOOLS)
  const [text, voice] = await Promise.all([
    attached(registry),
    attached(registry, { options: { session: { mode: 'voice' } } }),
  ])
  const [{ tools }, spoken] = await Promise.all([text.client.listTools(), voice.client.listTools()])
  expect(tools).toEqual(registry.getProviderSchemas('mcp', { mode: 'text' }))
  expect(tools.map(({ name }) => name)).toEqual(['empty', 'fail', 'lost', 'plain', 'say'])
  expect(spoken.tools.map(({ name }) => name)).toContain('spoken')
  expect(text.client.getServerCapabilities()).toEqual({ tools: { listChanged: true } })
  expect(text.client.getInstructions()).toMatch(/Only `ok: true` means/)
})

test('the text is the answer as a model needs it; structured content is the data, where a schema says what it is', async () => {
  const { registry } = await openGate(TOOLS)
  const { client } = await attached(registry)
  // From now on the client checks what is structured.
  await client.listTools()
  const said = await client.callTool({ name: 'say', arguments: { text: 'hello' } })
  expect({ ...said, content: said.content.length }).toEqual({ content: 1, structuredContent: { text: 'hello' } })
  expect(envelopeOf(said)).toEqual({ ok: true, data: { text: 'hello' } })
  const { client: curious } = await attached(registry, { options: { meta: 'full' } })
  expect(envelopeOf(await curious.callTool({ name: 'say', arguments: { text: 'hello' } }))).toMatchObject({
    ok: true,
    data: { text: 'hello' },
    intents: [],
    meta: { toolId: 'say', mode: 'text', turn: 1 },
  })
  const plain = await client.callTool({ name: 'plain' })
  expect(Object.keys(plain)).toEqual(['content'])
  expect(envelopeOf(plain)).toMatchObject({ ok: true, data: 7 })
  const empty = await client.callTool({ name: 'empty' })
  expect(empty.isError).toBe(true)
})

test('a failure is a result that says so, with its whole envelope', async () => {
  const { registry } = await openGate(TOOLS)
  const { client } = await attached(registry)
  await client.listTools()
  const failed = await client.callTool({ name: 'fail' })
  expect({ isError: failed.isError, keys: Object.keys(failed).sort() }).toEqual({
    isError: true,
    keys: ['content', 'isError'],
  })
  expect(envelopeOf(failed)).toMatchObject({
    ok: false,
    error: { type: 'PERMANENT', message: 'no way', retryable: false },
  })
  // What a handler does not find is no unknown tool.
  expect(envelopeOf(await client.callTool({ name: 'lost' })).error).toMatchObject({
    type: 'NOT_FOUND',
    message: 'no such record',
  })
})

test('an unknown tool is an error of the protocol, and audited; one of another mode is told to the model', async () => {
  const { registry, lines } = await openGate(TOOLS)
  const { client } = await attached(registry)
  await expect(client.callTool({ name: 'plian' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('there is no tool `plian`'),
    data: { suggestion: expect.stringContaining('plain') },
  })
  await eventually(
    () => lines.some(({ event, toolId }) => event === 'tool_refused' && toolId === 'plian'),
    'an audit line',
  )
  expect(envelopeOf(await client.callTool({ name: 'spoken' })).error.type).toBe('MODE_RESTRICTED')
})

test('a tool without its service is no tool', async () => {
  const { registry } = await openGate({ needy: { requires: ['crm'] } })
  const { client } = await attached(registry)
  expect((await client.listTools()).tools).toEqual([])
  await expect(client.callTool({ name: 'needy' })).rejects.toMatchObject({ code: -32602 })
})

test.each([
  [{ text: 'a' }, '/text'],
  [{}, 'text'],
  [{ text: 'ok', more: 1 }, 'more'],
  [['hello'], 'object'],
  ['hello', 'object'],
  [7, 'object'],
])('arguments that do not fit are told to the model: %j', async (args, where) => {
  const { registry } = await openGate(TOOLS)
  const { result } = await asked(await attached(registry), {
    id: 'call',
    method: 'tools/call',
    params: { name: 'say', arguments: args },
  })
  expect(result.isError).toBe(true)
  expect(envelopeOf(result).error).toMatchObject({ type: 'VALIDATION', message: expect.stringContaining(where) })
})

test('no arguments are an empty object, also where a client says null', async () => {
  const { registry } = await openGate(TOOLS)
  const { result } = await asked(await attached(registry), {
    id: 'call',
    method: 'tools/call',
    params: { name: 'plain', arguments: null },
  })
  expect(envelopeOf(result)).toMatchObject({ ok: true })
})

test.each([[{}], [{ name: 7 }], [{ name: null }]])('a call without the name of a tool is no call: %j', async params => {
  const { registry } = await openGate(TOOLS)
  const client = await attached(registry)
  expect((await asked(client, { id: 5, method: 'tools/call', params })).error.code).toBe(-32602)
  expect((await asked(client, { id: 6, method: 'resources/list' })).error.code).toBe(-32601)
})

describe('what a request names', () => {
  const counting = () => {
    const ran = []
    return {
      ran,
      tools: {
        pay: {
          kind: 'write',
          properties: { to: { type: 'string' } },
          execute: ({ args, meta }) => {
            ran.push([args.to, meta.callId, meta.idempotencyKey])
            return { ok: true }
          },
        },
      },
    }
  }

  test('two requests are two calls, also with equal arguments', async () => {
    const { ran, tools } = counting()
    const { client } = await attached((await openGate(tools)).registry)
    for (let time = 0; time < 2; time += 1) await client.callTool({ name: 'pay', arguments: { to: 'ada' } })
    expect(ran).toHaveLength(2)
    expect(ran[0][2]).not.toBe(ran[1][2])
  })

  test.each([
    ['a number', 3],
    ['a text', '3'],
    ['what looks made up', 'a-temporary-id'],
    ['a long text', 'x'.repeat(5000)],
  ])('a request that arrives twice runs once: its id is %s', async (_what, id) => {
    const { ran, tools } = counting()
    // A turn each: the replay is by the id.
    const client = await attached((await openGate(tools)).registry, { options: { turnGapMs: 0 } })
    const request = { id, method: 'tools/call', params: { name: 'pay', arguments: { to: 'ada' } } }
    const answers = [await asked(client, request), await asked(client, request, 2)]
    expect(ran).toHaveLength(1)
    expect(answers.map(({ result }) => envelopeOf(result).meta?._idempotent_cache_hit ?? false)).toEqual([false, true])
    expect(ran[0][1].length).toBeLessThan(64)
  })

  test('the same number of another client, or after a reconnect, is another call', async () => {
    const { ran, tools } = counting()
    const { registry } = await openGate(tools)
    for (const client of [await attached(registry), await attached(registry)]) {
      await asked(client, { id: 3, method: 'tools/call', params: { name: 'pay', arguments: { to: 'ada' } } })
    }
    expect(ran).toHaveLength(2)
    expect(ran[0][1]).not.toBe(ran[1][1])
  })
})

describe('data that was shortened for the model', () => {
  const words = count => Array.from({ length: count }, (_, at) => `word ${at}`)
  const big = (schema, data) => ({
    resultLimitBytes: 2000,
    resultSchema: { ...NOTE, ...schema },
    execute: () => ({ ok: true, data }),
  })

  test('is taken where it still fits the schema', async () => {
    const { registry } = await openGate({ list: big({}, { text: 'many', words: words(1000) }) })
    const { client } = await attached(registry)
    await client.listTools()
    const result = await client.callTool({ name: 'list' })
    const told = envelopeOf(result)
    expect(told.meta.truncated.limitBytes).toBe(2000)
    expect(result.structuredContent).toEqual(told.data)
    expect(result.structuredContent.words.length).toBeLessThan(1000)
  })

  const WHOLE = { properties: { text: { type: 'string' }, words: { type: 'array', minItems: 900 } } }

  test('is whole where only all of it fits', async () => {
    const { registry } = await openGate({ list: big(WHOLE, { text: 'many', words: words(1000) }) })
    const { client } = await attached(registry)
    await client.listTools()
    const result = await client.callTool({ name: 'list' })
    expect(envelopeOf(result).data.words.length).toBeLessThan(900)
    expect(result.structuredContent.words).toHaveLength(1000)
  })

  test('is an error where all of it is not kept: nothing is given that breaks the schema', async () => {
    const { registry } = await openGate({ list: big(WHOLE, { text: 'many', words: words(200_000) }) })
    const { client } = await attached(registry)
    await client.listTools()
    const result = await client.callTool({ name: 'list' })
    expect({ isError: result.isError, structuredContent: result.structuredContent }).toEqual({
      isError: true,
      structuredContent: undefined,
    })
    expect(envelopeOf(result).ok).toBe(true)
    expect(result.content[1].text).toMatch(/^The call has succeeded/)
  })
})

test('options that do not exist are told', async () => {
  const { registry } = await openGate(TOOLS)
  await expect(attached(registry, { options: { sesion: {} } })).rejects.toThrow(
    'unknown MCP server option `sesion`; it takes session, info',
  )
  await expect(attached(registry, { options: { turnGapMs: '10s' } })).rejects.toThrow(
    '`turnGapMs` must be a number of milliseconds, 0 or more',
  )
  await expect(attached({})).rejects.toThrow('`registry` must be a loaded ToolRegistry')
})
