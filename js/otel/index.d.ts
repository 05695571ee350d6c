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
 * handler, a span `tools/call {name}` for each request of an MCP client or to a source, and the histograms of their durations. Spans of
 * a source's tool have the attribute `toolgate.source`, and the source's server gets the trace. Returns a function that stops it.
 * Throws an Error if calls are traced already.
 */
export function traceCalls(options?: TraceOptions): () => void

export interface ExportOptions {
  /** The `service.name` of the spans, unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` gives one. */
  serviceName: string
  /** Says whether to export; by default `process.env`. The SDK reads its settings from `process.env`. */
  env?: Record<string, string | undefined>
  /** Gets the exporter's failures. */
  logger?: { error(message: string): void; warn(message: string): void }
}

/**
 * For a program without an OpenTelemetry SDK of its own: traces the calls ({@link traceCalls}) and sends the spans by OTLP, as JSON
 * over HTTP, if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set; else null. The other variables of
 * OpenTelemetry hold too (headers, sampler, batches, resource). `shutdown` sends what is left, in 3 s at most. Throws an Error
 * unless `@opentelemetry/sdk-trace-node` 2, `@opentelemetry/resources` 2 and `@opentelemetry/exporter-trace-otlp-http` 0.200 or
 * later are installed, and a TypeError without the value if an endpoint is no URL.
 */
export function exportTraces(options: ExportOptions): { shutdown(): Promise<void> } | null

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
