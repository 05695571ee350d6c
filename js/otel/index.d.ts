// `toolgate/otel`: OpenTelemetry spans and metrics of calls. Needs `@opentelemetry/api`, an optional peer dependency.

import type { MeterProvider, TracerProvider } from '@opentelemetry/api'

export interface TraceOptions {
  /** The completed arguments as `gen_ai.tool.call.arguments`, with `***` in place of `x-sensitive` values (default false). */
  captureArguments?: boolean
  /** By default the global provider. */
  tracerProvider?: Pick<TracerProvider, 'getTracer'>
  /** By default the global provider. */
  meterProvider?: Pick<MeterProvider, 'getMeter'>
}

/**
 * Traces the calls of all registries of the process, from now on: a span `execute_tool {name}` for each call, active in its
 * handler, a span `tools/call {name}` for each request of an MCP client, and the histograms of their durations. Returns a
 * function that stops it. Throws an Error if calls are traced already.
 */
export function traceCalls(options?: TraceOptions): () => void
