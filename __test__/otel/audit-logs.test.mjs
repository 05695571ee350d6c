// Audit lines as log records, through the SDK's own exporter in memory.
import { createRequire } from 'node:module'

import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'

import { openGate } from '../support/gate.mjs'

const { auditLogs } = createRequire(import.meta.url)('../../js/otel/index.js')

const TOOLS = { pay: { properties: { card: { type: 'string', 'x-sensitive': true } } } }

test('each audit line is a log record with the attributes of the conventions', async () => {
  const exporter = new InMemoryLogRecordExporter()
  const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] })
  const emit = auditLogs(provider)
  const lines = []
  const audit = line => {
    lines.push(JSON.parse(line))
    emit(line)
  }
  const { registry, session } = await openGate(TOOLS, { audit })
  const text = await session({ sessionId: 's-17' })
  await text.execute({ id: 'call_000001', name: 'pay', args: { card: '4111111111111111' } })
  await text.execute({ id: 'call_000002', name: 'absent', args: {} })
  await registry.close()
  await provider.forceFlush()

  const records = exporter.getFinishedLogRecords()
  expect(records.map(({ body }) => body)).toEqual(lines)
  expect(JSON.stringify(lines)).not.toContain('4111111111111111')
  const of = event => records.filter(({ eventName }) => eventName === event)
  const summary = ({ attributes, hrTime: [seconds], severityText, instrumentationScope }) => ({
    attributes,
    seconds,
    severityText,
    scope: instrumentationScope.name,
  })
  const expected = (event, attributes) => ({
    attributes: { 'gen_ai.conversation.id': 's-17', ...attributes },
    seconds: Math.floor(Date.parse(lines.find(line => line.event === event).at) / 1000),
    severityText: 'INFO',
    scope: 'toolgate',
  })
  expect(of('toolgate.tool_execution').map(summary)).toEqual([
    expected('tool_execution', { 'gen_ai.tool.name': 'pay', 'gen_ai.tool.call.id': 'call_000001' }),
  ])
  expect(of('toolgate.tool_refused').map(summary)).toEqual([
    expected('tool_refused', {
      'gen_ai.tool.name': 'absent',
      'gen_ai.tool.call.id': 'call_000002',
      'error.type': 'NOT_FOUND',
    }),
  ])
})

test('without a provider the mistake is named', () => {
  expect(() => auditLogs()).toThrow(
    new TypeError('`auditLogs` takes a logger provider, such as `new LoggerProvider()` of @opentelemetry/sdk-logs'),
  )
})
