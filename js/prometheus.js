'use strict'

// Counters in Prometheus' text format (version 0.0.4), for whoever scrapes a server.

/** Member of a tool's counters in a mode → what its metric is called, and what it counts. */
const COUNTERS = {
  calls: ['calls', 'Calls that ran or were refused.'],
  replays: ['replays', 'Calls that got the answer of an earlier one.'],
  retries: ['retries', 'Further attempts.'],
  cached: ['cached', 'Calls that were answered with a kept result.'],
  timeouts: ['timeouts', 'Calls whose deadline passed.'],
  cancellations: ['cancellations', 'Calls that were cancelled.'],
  ignoredSignals: ['ignored_signals', 'Handlers that went on after they were asked to stop.'],
  late: ['late_results', 'Results that came after their call had been answered.'],
  resultBytes: ['result_bytes', 'Bytes of data that were given to models.'],
}
const QUANTILES = { p50: '0.5', p95: '0.95', p99: '0.99' }

const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * @param {Record<string, Record<string, any>>} metrics as `registry.getMetrics()` gives them: tool → mode → counters
 * @returns {string}
 */
function prometheusText(metrics) {
  const rows = Object.entries(metrics).flatMap(([tool, modes]) =>
    Object.entries(modes).map(([mode, counted]) => ({ tool, mode, counted })),
  )
  const counters = Object.entries(COUNTERS).flatMap(([member, [name, help]]) =>
    family(
      `toolgate_${name}_total`,
      'counter',
      help,
      rows.map(({ tool, mode, counted }) => [{ tool, mode }, counted[member]]),
    ),
  )
  const errors = rows.flatMap(({ tool, mode, counted }) =>
    Object.entries(counted.errors).map(([type, count]) => [{ tool, mode, type }, count]),
  )
  const durations = rows.flatMap(({ tool, mode, counted }) =>
    Object.entries(QUANTILES).map(([member, quantile]) => [{ tool, mode, quantile }, counted.latencyMs[member]]),
  )
  return [
    ...counters,
    ...family('toolgate_errors_total', 'counter', 'Calls that failed or were refused, by type.', errors),
    ...family(
      'toolgate_call_duration_seconds',
      'summary',
      'Time from admission to answer, of calls that ran.',
      durations.filter(([, ms]) => ms !== null).map(([labels, ms]) => [labels, ms / 1000]),
    ),
  ]
    .map(line => `${line}\n`)
    .join('')
}

function family(name, type, help, samples) {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${name}{${labelText(labels)}} ${value}`),
  ]
}

const labelText = labels =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')

const escaped = value => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

module.exports = { PROMETHEUS_TYPE, prometheusText }
