// A code base with tools that return `{ success, data?, error? }` moves to the gate: what its rules become.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'

import { createRegistry } from '../../index.js'
import { createUnifiedTools, fromToolResult } from '../../js/unified/index.js'
import { eventLoop, gateway } from '../support/gate.mjs'
import { SESSION, unified } from './support.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ECHO = ({ args }) => fromToolResult({ success: true, data: args })
const TEXT = { properties: { text: { type: 'string' } }, required: ['text'] }
const transient = { ok: false, error: { type: 'TRANSIENT', message: 'the line is busy', retryable: true } }

describe('a call', () => {
  test('is validated, run and answered', async () => {
    const { run } = await unified({ probe: { execute: ECHO, ...TEXT } })
    expect(await run('probe', { text: 'a' })).toEqual({ success: true, data: { text: 'a' } })
    expect(await run('probe', {})).toEqual({
      success: false,
      error: 'Invalid tool arguments: the required property `text` is missing',
    })
    expect(await run('probe', 'no JSON')).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Invalid tool arguments: /),
    })
  })

  test('that fails without a text has the fixed message', async () => {
    for (const result of [{ success: false }, { success: false, error: '' }, { success: false, data: { n: 1 } }]) {
      const { run } = await unified({ probe: { execute: () => result } })
      expect(await run('probe')).toMatchObject({ success: false, error: 'Tool execution failed without error message' })
    }
  })

  test('before the registry is loaded: the synchronous functions say what to do', async () => {
    const { getChatToolDefinitions, validateToolArgs } = createUnifiedTools({ registry: createRegistry() })
    const says = /not loaded; `await registry.load\(\)` first/
    expect(() => validateToolArgs('probe', {})).toThrow(says)
    expect(() => getChatToolDefinitions('user-1')).toThrow(says)
  })

  test('of an unknown tool is a failure that names the nearest', async () => {
    const { run } = await unified({ probe: { execute: ECHO } })
    const { success, error } = await run('prob')
    expect([success, error]).toEqual([false, expect.stringContaining('`prob`')])
    expect((await run(undefined)).success).toBe(false)
  })

  test('is retried on a transient failure, without a second record for its caller', async () => {
    let attempts = 0
    const used = []
    const execute = () => ((attempts += 1) < 3 ? transient : { ok: true, data: attempts })
    const { run } = await unified(
      { probe: { kind: 'read', execute, retry: { maxAttempts: 3, baseDelayMs: 1, multiplier: 1 } } },
      { onCapabilityUsed: use => used.push(use.toolId) },
    )
    expect(await run('probe')).toEqual({ success: true, data: 3 })
    expect(used).toEqual(['probe'])
  })

  test('that writes is never retried', async () => {
    let attempts = 0
    const execute = () => ((attempts += 1), transient)
    const { run } = await unified({ probe: { kind: 'write', execute } })
    expect([await run('probe'), attempts]).toEqual([{ success: false, error: 'the line is busy' }, 1])
  })

  test('that takes too long is answered', async () => {
    const { run } = await unified({ probe: { execute: () => new Promise(() => {}), timeoutMs: 20 } })
    expect(await run('probe')).toEqual({ success: false, error: 'Tool probe timed out' })
  })

  test('over the rate limit does not run', async () => {
    const { run } = await unified({ probe: { execute: ECHO, rateLimit: { calls: 1, windowMs: 60_000 } } })
    expect((await run('probe')).success).toBe(true)
    expect(await run('probe')).toMatchObject({ success: false, error: expect.stringContaining('called too often') })
    expect((await run('probe', {}, { sessionId: 'user-2' })).success).toBe(true)
  })

  test('is tracked as a capability on success only, and as a call always', async () => {
    const used = []
    const called = []
    const execute = ({ args }) => fromToolResult({ success: args.text === 'good', error: 'bad' })
    const { run } = await unified(
      { probe: { execute, ...TEXT } },
      { onCapabilityUsed: use => used.push(use), onToolCall: call => called.push(call) },
    )
    await run('probe', { text: 'bad' }, { callId: 'call_00000001' })
    await run('probe', { text: 'good' }, { callId: 'call_00000002' })
    expect(used).toEqual([{ toolId: 'probe', callId: 'call_00000002', turn: 2 }])
    expect(called).toEqual([
      { name: 'probe', args: { text: 'bad' }, id: 'call_00000001' },
      { name: 'probe', args: { text: 'good' }, id: 'call_00000002' },
    ])
  })

  test('reaches the agent, the connection and its sessions', async () => {
    const execute = ({ agent, activeSessions, clientId, ws, geminiSession, mode }) => ({
      ok: true,
      data: { agent: agent?.name, open: activeSessions?.size, clientId, ws, geminiSession, mode },
    })
    const { run } = await unified({ probe: { execute } })
    const chat = await run('probe', {}, { agent: { name: 'sales' } })
    expect(chat.data).toEqual({ agent: 'sales', clientId: null, ws: null, geminiSession: null, mode: 'text' })
    const activeSessions = new Map([['conn-1', { ws: 'socket', geminiSession: 'live' }]])
    const voice = await run('probe', {}, { connectionId: 'conn-1', activeSessions })
    expect(voice.data).toEqual({ open: 1, clientId: 'conn-1', ws: 'socket', geminiSession: 'live', mode: 'voice' })
    const plain = await run('probe', {}, { connectionId: 'constructor', activeSessions: {} })
    expect(plain.data).toEqual({ clientId: 'constructor', ws: null, geminiSession: null, mode: 'voice' })
  })

  test('of a voice connection is refused if the tool is for text only', async () => {
    const { run } = await unified({ probe: { execute: ECHO, allowedModes: ['text'] } })
    expect((await run('probe')).success).toBe(true)
    expect((await run('probe', {}, { connectionId: 'conn-1' })).success).toBe(false)
  })

  test('with the id of an earlier call gets its result', async () => {
    let runs = 0
    const { run } = await unified({ probe: { kind: 'write', execute: () => ({ ok: true, data: (runs += 1) }) } })
    const first = await run('probe', {}, { callId: 'call_00000001' })
    const again = await run('probe', {}, { callId: 'call_00000001' })
    expect([first, again, runs]).toEqual([{ success: true, data: 1 }, { success: true, data: 1 }, 1])
    expect((await run('probe')).data).toBe(2)
  })

  test('is cancelled by its signal', async () => {
    const started = gateway()
    const execute = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')))
        started.open()
      })
    const { run } = await unified({ probe: { kind: 'read', execute } })
    const controller = new AbortController()
    const answer = run('probe', {}, { signal: controller.signal })
    await started.passed
    controller.abort()
    expect((await answer).success).toBe(false)
    expect((await run('probe', {}, { signal: controller.signal })).success).toBe(false)
  })
})

describe('sessions', () => {
  test('without an id are `anonymous`', async () => {
    const seen = []
    const execute = ({ session }) => (seen.push(session.sessionId), { ok: true })
    const { executeUnifiedTool } = await unified({ probe: { execute } })
    await executeUnifiedTool('probe', {})
    await executeUnifiedTool('probe', {}, { sessionId: '' })
    await executeUnifiedTool('probe', {}, { sessionId: SESSION })
    expect(seen).toEqual(['anonymous', 'anonymous', SESSION])
  })

  test('of another principal are refused as a result', async () => {
    const { run } = await unified({ probe: { execute: ECHO } })
    expect((await run('probe', {}, { principal: 'ada' })).success).toBe(true)
    expect((await run('probe', {}, { principal: 'eve' })).success).toBe(false)
  })

  test('stay usable for any number of calls, and end for all', async () => {
    const { run, session } = await unified({ probe: { kind: 'read', execute: ECHO } })
    for (let n = 0; n < 30; n += 1) expect((await run('probe')).success).toBe(true)
    await (await session({ sessionId: SESSION })).end()
    await eventLoop()
    expect((await run('probe')).success).toBe(false)
  })

  test('misuse throws', async () => {
    const { run } = await unified({ probe: { execute: ECHO } })
    await expect(run('probe', {}, { roles: 'admin' })).rejects.toThrow('`roles` must be')
  })
})

test('a call that needs confirmation waits for the user, and the model never sees the token', async () => {
  const { run, session } = await unified({
    order: {
      kind: 'write',
      execute: ECHO,
      requiresConfirmation: true,
      confirmation: { preview: 'Order {text}' },
      ...TEXT,
    },
  })
  const asked = await run('order', { text: 'tea' })
  expect(asked).toEqual({
    success: false,
    error: 'Order tea',
    data: {
      confirmation_request: { expires: expect.any(Number), tool: 'order', args: { text: 'tea' }, preview: 'Order tea' },
    },
  })
  const page = await session({ sessionId: SESSION })
  const [{ token }] = await page.listPending()
  expect(await page.confirm(token)).toMatchObject({ ok: true, data: { text: 'tea' } })
})

test('validateToolArgs checks without running', async () => {
  const { validateToolArgs } = await unified({ probe: { execute: ECHO, ...TEXT } })
  expect(validateToolArgs('probe', { text: 'a' })).toEqual({ valid: true })
  expect(validateToolArgs('probe', { text: 1 })).toEqual({
    valid: false,
    error: 'Invalid tool arguments: `/text` must be a string, not the number `1`; send it in double quotes',
  })
  expect(validateToolArgs('prob', {})).toEqual({ valid: false, error: expect.stringContaining('`prob`') })
})

describe('chat definitions', () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const step = (content, unified) => ({ content, finishReason: { unified, raw: unified }, usage, warnings: [] })
  const calls = list =>
    step(
      list.map(([toolCallId, input]) => ({ type: 'tool-call', toolCallId, toolName: 'probe', input })),
      'tool-calls',
    )

  test('are tools of the AI SDK whose calls go through the gate', async () => {
    const { getChatToolDefinitions, lines } = await unified({
      probe: { execute: ECHO, ...TEXT },
      quiet: { allowedModes: ['voice'] },
    })
    const steps = [
      calls([
        ['call_00000001', '{"text":"a"}'],
        ['call_00000002', '{}'],
      ]),
      step([{ type: 'text', text: 'Done.' }], 'stop'),
    ]
    const model = new MockLanguageModelV3({ doGenerate: async () => steps.shift() })
    const tools = { ...getChatToolDefinitions(SESSION) }
    expect(Object.keys(tools)).toEqual(['probe'])
    const result = await generateText({ model, tools, prompt: 'Go', stopWhen: stepCountIs(3) })
    expect(result.steps[0].toolResults.map(({ output }) => output)).toEqual([
      { success: true, data: { text: 'a' } },
      { success: false, error: 'Invalid tool arguments: the required property `text` is missing' },
    ])
    const { sessionId, turn } = lines.find(({ event }) => event === 'tool_execution')
    expect([sessionId, turn]).toEqual([SESSION, 1])
  })

  test('of one request share the budget of a turn', async () => {
    const { getChatToolDefinitions } = await unified({ probe: { kind: 'read', execute: ECHO, ...TEXT } })
    const { probe } = getChatToolDefinitions(SESSION)
    const results = []
    for (let n = 0; n < 6; n += 1)
      results.push(await probe.execute({ text: `${n}` }, { toolCallId: `call_0000000${n}` }))
    expect(results.map(({ success }) => success)).toEqual([true, true, true, true, true, false])
    const next = getChatToolDefinitions(SESSION).probe
    expect(await next.execute({ text: 'next' })).toEqual({ success: true, data: { text: 'next' } })
  })

  test('show a tool whose service the context gives', async () => {
    const { getChatToolDefinitions } = await unified({ probe: { execute: ECHO, requires: ['clock'] } })
    expect(Object.keys(getChatToolDefinitions(SESSION))).toEqual([])
    expect(Object.keys(getChatToolDefinitions(SESSION, { services: { clock: {} } }))).toEqual(['probe'])
  })
})

// In a process of its own: jest's module loader can't import the shipped handlers side by side.
test('the package exports the functions over the shipped tools', async () => {
  const script = `
    const { toolRegistry } = require('toolgate')
    const unified = require('toolgate/unified')
    const report = async () => [
      await unified.executeUnifiedTool('calculate_roi', { investment: 100, gains: 150 }).then(({ success }) => success),
      unified.validateToolArgs('calculate_roi', { investment: 100, gains: 150 }),
      'calculate_roi' in unified.getChatToolDefinitions('user-1'),
      Object.keys(unified).sort(),
    ]
    report().then(found => process.stdout.write(JSON.stringify(found))).then(() => toolRegistry.close())`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: ROOT })
  const functions = ['createUnifiedTools', 'executeUnifiedTool', 'fromToolResult', 'getChatToolDefinitions']
  const conversions = ['toLiveAnswer', 'toToolRecord', 'toToolResult', 'validateToolArgs']
  expect(JSON.parse(stdout)).toEqual([true, { valid: true }, true, [...functions, ...conversions]])
})
