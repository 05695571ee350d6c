// Spans of MCP requests, inside the client's own.
import { createRequire } from 'node:module'

import { SpanKind, propagation } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'

import { attached } from '../mcp/support.mjs'
import { openGate } from '../support/gate.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { traced } from '../support/tracing.mjs'

const { traceMcpCall } = createRequire(import.meta.url)('../../js/otel/index.js')

const TOOLS = {
  plain: { execute: () => ({ ok: true, data: 7 }) },
  fail: { execute: () => ({ ok: false, error: { type: 'PERMANENT', message: 'no way' } }) },
}
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

async function client() {
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  afterTest(() => propagation.disable())
  const { spans } = traced()
  const { registry } = await openGate(TOOLS)
  return { spans, client: (await attached(registry)).client }
}

test('a request is a span inside the span that its `_meta` names; the call is inside the request', async () => {
  const { spans, client: mcp } = await client()
  await mcp.callTool({ name: 'plain', _meta: { traceparent: `00-${TRACE}-${PARENT}-01` } })

  const [request, call] = spans()
  expect([request.name, request.spanContext().traceId, request.parentSpanContext.spanId]).toEqual([
    'tools/call plain',
    TRACE,
    PARENT,
  ])
  expect(request.attributes).toEqual({
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'plain',
    'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
  })
  expect([call.name, call.parentSpanContext.spanId]).toEqual(['execute_tool plain', request.spanContext().spanId])
})

test('a failed call, and an unknown tool', async () => {
  const { spans, client: mcp } = await client()
  await mcp.callTool({ name: 'fail' })
  await mcp.callTool({ name: 'made_up_by_a_model' }).catch(() => {})
  const requests = spans().filter(({ name }) => name.startsWith('tools/call'))
  expect(requests.map(({ name, attributes, status }) => [name, attributes['error.type'], status.code])).toEqual([
    ['tools/call fail', 'tool_error', 2],
    ['tools/call (unknown)', '-32602', 2],
  ])
})

test('a `traceparent` that is none is ignored', async () => {
  const { spans, client: mcp } = await client()
  for (const traceparent of [7, 'x'.repeat(10_000), '00-0-0-01'])
    await mcp.callTool({ name: 'plain', _meta: { traceparent } })
  const requests = spans().filter(({ name }) => name.startsWith('tools/call'))
  expect(requests.map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined, undefined])
})

test('a call of a handler to another server carries its trace: one trace over both servers', async () => {
  const { spans, client: other } = await client()
  const { session } = await openGate({
    outer: {
      execute: async () => {
        const send = _meta => other.callTool({ name: 'plain', _meta })
        const { structuredContent } = await traceMcpCall('plain', send)
        return { ok: true, data: structuredContent }
      },
    },
  })
  expect((await (await session()).execute({ name: 'outer' })).ok).toBe(true)
  const found = spans()
  expect(found.map(({ name, kind }) => [name, kind])).toEqual([
    ['execute_tool outer', SpanKind.INTERNAL],
    ['tools/call plain', SpanKind.CLIENT],
    ['tools/call plain', SpanKind.SERVER],
    ['execute_tool plain', SpanKind.INTERNAL],
  ])
  expect(new Set(found.map(span => span.spanContext().traceId)).size).toBe(1)
  const parents = found.slice(1).map(({ parentSpanContext }) => parentSpanContext.spanId)
  expect(parents).toEqual(found.slice(0, -1).map(span => span.spanContext().spanId))
})

test('a call to another server that fails is rejected as it was, and its span says so', async () => {
  const { spans } = await client()
  const failure = Object.assign(new Error('gone'), { code: -32000 })
  await expect(traceMcpCall('plain', () => Promise.reject(failure))).rejects.toBe(failure)
  expect(spans().map(({ attributes, status }) => [attributes['error.type'], status.code])).toEqual([['-32000', 2]])
})

test('without tracing a call to another server is sent with the context that is active', async () => {
  expect(await traceMcpCall('plain', async meta => ({ meta }))).toEqual({ meta: {} })
})
