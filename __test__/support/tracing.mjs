// Tracing of a test: the SDK's own provider, with an exporter in memory.
import { createRequire } from 'node:module'

import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

import { afterTest } from './tool-set.mjs'

const { traceCalls } = createRequire(import.meta.url)('../../js/otel/index.js')

/** Traces the calls of the test. The tree of its spans, siblings in the order of their start, is what it returns. */
export function traced(options) {
  const exporter = new InMemorySpanExporter()
  /** Span ids in the order of their starts: times are too coarse. */
  const started = []
  const order = {
    onStart: span => void started.push(span.spanContext().spanId),
    onEnd: () => {},
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter), order] })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const stop = traceCalls({ tracerProvider, ...options })
  afterTest(() => {
    stop()
    context.disable()
  })
  const tracer = tracerProvider.getTracer('test')
  const spans = () => exporter.getFinishedSpans().toSorted((one, other) => startOf(one) - startOf(other))
  const startOf = span => started.indexOf(span.spanContext().spanId)
  return { tracer, spans, tree: () => treeOf(spans()), stop }
}

/** Spans in the order of their starts, each with those inside it. */
function treeOf(spans, parentId) {
  return spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parentId)
    .map(span => {
      const { 'toolgate.outcome': outcome, 'error.type': error, 'toolgate.attempts': attempts } = span.attributes
      const inner = treeOf(spans, span.spanContext().spanId)
      const facts = [span.name, outcome, error, attempts].filter(fact => fact !== undefined).join(' ')
      return inner.length === 0 ? facts : [facts, inner]
    })
}
