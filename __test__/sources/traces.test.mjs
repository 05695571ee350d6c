// The spans of a source's calls name the source, and its server gets the trace.
import { SpanKind, propagation } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'

import { afterTest } from '../support/tool-set.mjs'
import { traced } from '../support/tracing.mjs'
import { answering, text } from './served.mjs'
import { TOOLS_SERVER, lockOf, program, sourceOf } from './support.mjs'

test('each span of a call names the source', async () => {
  const { spans } = traced()
  const { registry } = await answering({ look: { result: { content: [text('seen')] } } }, {}, {})
  const session = await registry.createSession({ mode: 'text' })
  const { error } = await session.execute({ id: 'look-1', name: 'shop_look', args: {} })
  await session.confirm(error.confirmation_request.token)
  await session.execute({ id: 'none-1', name: 'shop_made_up', args: {} })
  const named = spans().map(({ name, kind, attributes }) => [name, kind, attributes['toolgate.source']])
  expect(named).toEqual([
    // The question, and the call that its user has confirmed.
    ['execute_tool shop_look', SpanKind.INTERNAL, 'shop'],
    ['execute_tool shop_look', SpanKind.INTERNAL, 'shop'],
    ['tools/call look', SpanKind.CLIENT, 'shop'],
    ['execute_tool (unknown)', SpanKind.INTERNAL, undefined],
  ])
})

test('the server gets the trace beside the key of the call', async () => {
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  afterTest(() => propagation.disable())
  const { spans } = traced()
  const { config } = program(TOOLS_SERVER)
  const { call } = sourceOf(config, await lockOf(config))
  const result = await call('said', {}, { meta: { 'toolgate/idempotencyKey': 'k' } })
  const { meta } = JSON.parse(result.content[0].text)
  const [span] = spans()
  const { traceId, spanId } = span.spanContext()
  expect(meta).toMatchObject({ 'toolgate/idempotencyKey': 'k', traceparent: `00-${traceId}-${spanId}-01` })
})
