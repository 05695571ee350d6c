'use strict'

// Counters in Prometheus' text format (version 0.0.4).

/**
 * @typedef {import('../index.js').ToolCounters} ToolCounters
 * @typedef {Exclude<keyof ToolCounters, 'errors' | 'latencyMs'>} CounterName
 * @typedef {[labels: Record<string, string>, value: number | null]} Sample
 */

/**
 * Member of a tool's counters in a mode → name and help text of its metric.
 * @type {Record<CounterName, [name: string, help: string]>}
 */
const COUNTERS = {
  calls: ['calls', 'Calls that ran or were refused.'],
  replays: ['replays', 'Calls that were answered with the answer of an earlier call.'],
  retries: ['retries', 'Further attempts.'],
  cached: ['cached', 'Calls that were answered with a cached result.'],
  timeouts: ['timeouts', 'Calls whose deadline passed.'],
  cancellations: ['cancellations', 'Calls that were cancelled.'],
  ignoredSignals: ['ignored_signals', 'Handlers that continued after their signal was aborted.'],
  late: ['late_results', 'Results that arrived after their call was answered.'],
  resultBytes: ['result_bytes', 'Bytes of data returned to models.'],
}
const QUANTILES = { p50: '0.5', p95: '0.95', p99: '0.99' }

const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * @param {import('../index.js').Metrics} metrics the result of `registry.getMetrics()`
 * @returns {string}
 */
function prometheusText(metrics) {
  const rows = Object.entries(metrics).flatMap(([tool, modes]) =>
    // A series for the total would be counted twice in a sum over the modes.
    Object.entries(modes)
      .filter(([mode]) => mode !== 'total')
      .map(([mode, counted]) => ({ tool, mode, counted })),
  )
  const counters = Object.entries(COUNTERS).flatMap(([member, [name, help]]) =>
    family(
      `toolgate_${name}_total`,
      'counter',
      help,
      rows.map(({ tool, mode, counted }) => [{ tool, mode }, counted[/** @type {CounterName} */ (member)]]),
    ),
  )
  const errors = rows.flatMap(({ tool, mode, counted }) =>
    Object.entries(counted.errors).map(([type, count]) => /** @type {Sample} */ ([{ tool, mode, type }, count])),
  )
  const durations = rows.flatMap(({ tool, mode, counted }) =>
    Object.entries(QUANTILES).map(([member, quantile]) => {
      const ms = counted.latencyMs[/** @type {keyof typeof QUANTILES} */ (member)]
      return /** @type {Sample} */ ([{ tool, mode, quantile }, ms === null ? null : ms / 1000])
    }),
  )
  return [
    ...counters,
    ...family('toolgate_errors_total', 'counter', 'Calls that failed or were refused, by type.', errors),
    ...family(
      'toolgate_call_duration_seconds',
      'summary',
      'Time from admission to answer, of calls that ran.',
      durations.filter(([, seconds]) => seconds !== null),
    ),
  ]
    .map(line => `${line}\n`)
    .join('')
}

/** @param {string} name @param {string} type @param {string} help @param {Sample[]} samples */
function family(name, type, help, samples) {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${name}{${labelText(labels)}} ${value}`),
  ]
}

/** @param {Record<string, string>} labels */
const labelText = labels =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')

/** @param {string} value */
const escaped = value => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

module.exports = { PROMETHEUS_TYPE, prometheusText }
