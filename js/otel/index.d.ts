// `toolgate/otel`: OpenTelemetry spans and metrics of calls, and audit lines as log records. Needs `@opentelemetry/api`, an optional peer dependency.

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

/**
 * Calls a tool of another MCP server in a span `tools/call {toolId}` of its own. `send` makes the request and gets the
 * `_meta` that carries the trace to that server, in the keys of the host's propagator (`traceparent`, `tracestate`); it is
 * empty without one. The promise is that of `send`. Without `traceCalls` there is no span, and the active context is carried.
 *
 * @example
 * traceMcpCall('search', _meta => client.callTool({ name: 'search', arguments: args, _meta }))
 */
export function traceMcpCall<T extends { isError?: boolean }>(
  toolId: string,
  send: (meta: Record<string, string>) => Promise<T>,
): Promise<T>

/** The part of a `LoggerProvider` of `@opentelemetry/api-logs` that is used. */
export interface LogProvider {
  getLogger(name: string): {
    emit(record: {
      eventName: string
      timestamp: Date
      severityNumber: number
      severityText: string
      // The record's own types differ between versions of the logs API.
      body: any
      attributes: Record<string, string>
    }): void
  }
}

/**
 * A sink for the option `audit` of a registry: each line is a log record of the scope `toolgate`, with the line as its body,
 * `toolgate.<event>` as its event name, and session, tool, call and error type as attributes. The host flushes its
 * provider after `registry.close()`. Throws a TypeError without a provider.
 */
export function auditLogs(loggerProvider: LogProvider): (line: string) => void
