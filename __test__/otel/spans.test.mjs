// Spans and metrics of calls, through the SDK's own exporters in memory.
import { createRequire } from 'node:module'

import { context, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import * as incubating from '@opentelemetry/semantic-conventions/incubating'

import { eventLoop, gateway, openGate } from '../support/gate.mjs'
import { traced } from '../support/tracing.mjs'
import { afterTest } from '../support/tool-set.mjs'

const require = createRequire(import.meta.url)
const { traceCalls } = require('../../js/otel/index.js')
const conventions = require('../../js/otel/conventions.js')

const CARD = '4111111111111111'

const TOOLS = tracer => ({
  pay: {
    kind: 'read',
    properties: { to: { type: 'string' }, card: { type: 'string', 'x-sensitive': true, pattern: '^[0-9]{16}$' } },
    required: ['to'],
    execute: async ({ args }) => {
      await eventLoop()
      tracer?.startSpan(`look up ${args.to}`).end()
      return { ok: true, data: args.to }
    },
  },
  outer: {
    kind: 'read',
    execute: async ({ callTool }) => {
      await eventLoop()
      const answers = await Promise.all(['a', 'b'].map(to => callTool('pay', { to })))
      return { ok: true, data: answers.map(({ ok }) => ok) }
    },
  },
  flaky: {
    kind: 'read',
    retry: { maxAttempts: 2, baseDelayMs: 1 },
    execute: async ({ meta }) => {
      tracer?.startSpan(`attempt ${meta.attempt}`).end()
      return meta.attempt === 1
        ? { ok: false, error: { type: 'TRANSIENT', message: 'not now', retryable: true } }
        : { ok: true, data: 'at last' }
    },
  },
  remove: { kind: 'write', requiresConfirmation: true, lintAccepted: [], execute: async () => ({ ok: true, data: 1 }) },
})

test('each call is a span, refused and replayed ones too; spans of handlers are inside', async () => {
  const { tracer, tree } = traced()
  const { session, registry } = await openGate(TOOLS(tracer))
  const text = await session()
  const root = tracer.startSpan('turn')
  await context.with(trace.setSpan(context.active(), root), async () => {
    await text.execute({ id: 'call_pay_first', name: 'pay', args: { to: 'Ada' } })
    await text.execute({ id: 'call_pay_first', name: 'pay', args: { to: 'Ada' } })
    await text.execute({ id: 'call_pay_wrong', name: 'pay', args: { to: ['Ada', 'Bob'] } })
    await text.execute({ id: 'call_made_up_1', name: 'made_up_by_a_model' })
    const asked = await text.execute({ id: 'call_remove_1', name: 'remove' })
    await text.confirm(asked.error.confirmation_request.token)
    await registry.executeTool('pay', { args: { to: 'direct' } })
  })
  root.end()

  expect(tree()).toEqual([
    [
      'turn',
      [
        ['execute_tool pay ran 1', ['look up Ada']],
        expect.stringMatching(/^execute_tool pay replayed \d$/),
        'execute_tool pay refused VALIDATION 0',
        'execute_tool (unknown) refused NOT_FOUND 0',
        'execute_tool remove asked CONFIRMATION_REQUIRED 0',
        'execute_tool remove ran 1',
        ['execute_tool pay ran 1', ['look up direct']],
      ],
    ],
  ])
})

test('calls of a handler are inside its span, and so are attempts that start later', async () => {
  const { tracer, tree, spans } = traced()
  const { session } = await openGate(TOOLS(tracer))
  const text = await session()
  await text.execute({ id: 'call_outer_1', name: 'outer' })
  await text.execute({ id: 'call_flaky_1', name: 'flaky' })

  expect(tree()).toEqual([
    [
      'execute_tool outer ran 1',
      [
        ['execute_tool pay ran 1', ['look up a']],
        ['execute_tool pay ran 1', ['look up b']],
      ],
    ],
    ['execute_tool flaky ran 2', ['attempt 1', 'attempt 2']],
  ])
  const { events } = spans().find(({ name }) => name === 'execute_tool flaky')
  expect(events.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['toolgate.attempt', { 'toolgate.attempt': 1 }],
    ['toolgate.attempt', { 'toolgate.attempt': 2 }],
  ])
})

test('a call that waits runs in its own context, not in that of the call it waits for', async () => {
  const { tracer, tree } = traced()
  const gates = [gateway(), gateway()]
  const seen = []
  const execute = async ({ args: { n } }) => {
    await gates[n].passed
    tracer.startSpan(`inside ${n}`).end()
    seen.push(n)
    return { ok: true, data: n }
  }
  const one = { kind: 'read', parallel: false, properties: { n: { type: 'integer' } }, execute }
  const { session } = await openGate({ one })
  const text = await session()
  const joining = [0, 1, 0].map(n => text.execute({ id: `call_number_${n}`, name: 'one', args: { n } }))
  await eventLoop()
  gates[0].open()
  gates[1].open()
  await Promise.all(joining)

  expect(seen).toEqual([0, 1])
  expect(tree()).toEqual([
    ['execute_tool one ran 1', ['inside 0']],
    ['execute_tool one ran 1', ['inside 1']],
    expect.stringMatching(/^execute_tool one joined \d$/),
  ])
})

test('the calls of a batch', async () => {
  const { tracer, tree } = traced()
  const { session } = await openGate(TOOLS(tracer))
  const text = await session()
  await text.executeAll(['x', 'y'].map(to => ({ id: `call_batch_0${to}`, name: 'pay', args: { to } })))
  expect(tree()).toEqual([
    ['execute_tool pay ran 1', ['look up x']],
    ['execute_tool pay ran 1', ['look up y']],
  ])
})

test('the attributes of a span; arguments only if asked for, and masked', async () => {
  const args = { to: 'Ada', card: CARD }
  const expected = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'pay',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': 'call_pay_first',
    'gen_ai.conversation.id': 'traced',
    'toolgate.outcome': 'ran',
    'toolgate.attempts': 1,
    'toolgate.mode': 'text',
  }
  const run = async options => {
    const { spans } = traced(options)
    const { session } = await openGate(TOOLS())
    const text = await session({ sessionId: 'traced' })
    await text.execute({ id: 'call_pay_first', name: 'pay', args })
    return spans()[0]
  }
  const { attributes, status } = await run({ captureArguments: true })
  expect(attributes).toEqual({ ...expected, 'gen_ai.tool.call.arguments': '{"to":"Ada","card":"***"}' })
  expect(status).toEqual({ code: 0 })
})

test('without captureArguments a span has none', async () => {
  const { spans } = traced()
  const { session } = await openGate(TOOLS())
  await (await session()).execute({ id: 'call_pay_first', name: 'pay', args: { to: 'Ada' } })
  expect(Object.keys(spans()[0].attributes)).not.toContain('gen_ai.tool.call.arguments')
})

test('durations as a histogram', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 600_000 })],
  })
  afterTest(() => meterProvider.shutdown())
  traced({ meterProvider })
  const { session } = await openGate(TOOLS())
  const text = await session()
  await text.execute({ name: 'pay', args: { to: 'Ada' } })
  await text.execute({ name: 'made_up_by_a_model' })
  await meterProvider.forceFlush()

  const [{ descriptor, dataPoints }] = exporter.getMetrics()[0].scopeMetrics[0].metrics
  expect([descriptor.name, descriptor.unit]).toEqual(['gen_ai.client.operation.duration', 's'])
  const common = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.provider.name': 'toolgate' }
  expect(dataPoints.map(({ attributes, value }) => [attributes, value.count])).toEqual([
    [{ ...common, 'gen_ai.tool.name': 'pay' }, 1],
    [{ ...common, 'gen_ai.tool.name': '(unknown)', 'error.type': 'NOT_FOUND' }, 1],
  ])
})

test('calls are traced once, and no longer after the end', async () => {
  const { spans, stop } = traced()
  expect(() => traceCalls()).toThrow('calls are traced already')
  const { session } = await openGate(TOOLS())
  const text = await session()
  await text.execute({ name: 'pay', args: { to: 'Ada' } })
  stop()
  await text.execute({ name: 'pay', args: { to: 'Grace' } })
  expect(spans()).toHaveLength(1)
})

test('the names are those of the conventions', () => {
  const published = new Set(Object.values(incubating))
  // Values that the conventions give in prose.
  const described = new Set(['tools/call', 'tool_error'])
  expect(Object.values(conventions).filter(name => !published.has(name) && !described.has(name))).toEqual([])
})
