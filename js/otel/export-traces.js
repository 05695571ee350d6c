'use strict'

// Sends the spans of calls to an OTLP endpoint, as the environment variables of OpenTelemetry say.
// Source: OpenTelemetry specification 1.50, "SDK environment variables" and "OTLP exporter configuration".
//
// The format is JSON over HTTP: collectors accept it, and a test can read it. `@opentelemetry/sdk-node` would bring the exporters
// of every protocol, and instrumentations that the servers do not use. Metrics are exported by `/metrics` only.

const { diag, DiagLogLevel } = require('@opentelemetry/api')

const { traceEndpointOf } = require('../http/setting-values.js')

/** The longest that the end of a server waits for an endpoint that does not answer, in milliseconds. */
const LONGEST_SHUTDOWN_MS = 3000
const NEEDED =
  '`@opentelemetry/sdk-trace-node` 2, `@opentelemetry/resources` 2 and `@opentelemetry/exporter-trace-otlp-http` 0.200 or later'

/**
 * The parts of the SDK. They are no peers: a framework may bring an older SDK, with which the package can be installed.
 * @returns {any}
 */
function loadSdk() {
  /** @type {(id: string) => any} */
  const load = require
  const missing = `traces need ${NEEDED}; install them, or unset OTEL_EXPORTER_OTLP_ENDPOINT`
  let sdk
  try {
    sdk = {
      ...load('@opentelemetry/sdk-trace-node'),
      ...load('@opentelemetry/exporter-trace-otlp-http'),
      ...load('@opentelemetry/resources'),
    }
  } catch (error) {
    throw new Error(missing, { cause: error })
  }
  // The SDK 1 has other functions.
  if (typeof sdk.resourceFromAttributes !== 'function') throw new Error(missing)
  return sdk
}

/**
 * @param {() => () => void} traceCalls
 * @param {import('./index.js').ExportOptions} options
 */
function exportTraces(traceCalls, { serviceName, env = process.env, logger }) {
  if (traceEndpointOf(env) === null) return null
  const { BatchSpanProcessor, NodeTracerProvider, OTLPTraceExporter, ...sdk } = loadSdk()
  if (logger) {
    const log = (/** @type {'error' | 'warn'} */ level) => (/** @type {string} */ message) => logger[level](message)
    const [error, warn, ignore] = [log('error'), log('warn'), () => {}]
    diag.setLogger({ error, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN)
  }
  // What the environment names goes before the server's own name.
  const resource = sdk
    .defaultResource()
    .merge(sdk.resourceFromAttributes({ 'service.name': serviceName }))
    .merge(sdk.detectResources({ detectors: [sdk.envDetector] }))
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  const stop = traceCalls()
  return {
    async shutdown() {
      stop()
      const limit = new Promise(resolve =>
        setTimeout(resolve, LONGEST_SHUTDOWN_MS, 'the endpoint does not answer').unref(),
      )
      const sent = provider.shutdown().then(
        () => null,
        (/** @type {Error} */ { message }) => message,
      )
      const failure = await Promise.race([limit, sent])
      if (failure !== null) logger?.warn(`the last spans were not sent: ${failure}`)
    },
  }
}

module.exports = { exportTraces }
