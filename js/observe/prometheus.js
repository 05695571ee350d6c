'use strict'

// The gate's counters, and its health, as OpenMetrics text (version 1.0.0), which Prometheus reads. All samples but
// ages are sums: those of several processes can be added. Of ages the processes of one store have the same.

/**
 * @typedef {import('../../index.js').ToolCounters} ToolCounters
 * @typedef {Exclude<keyof ToolCounters,
 *   'errors' | LabelledName | 'latencyMs' | 'latencyHistogram' | 'declarations' | 'declarationTokens'>} CounterName
 * @typedef {'questions' | 'results' | 'reconciles' | 'repairs'} LabelledName
 * @typedef {NonNullable<ToolCounters['latencyHistogram']>} Histogram
 * @typedef {[suffix: string, labels: Record<string, string>, value: number]} Sample
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
  deferred: ['deferred_calls', 'Calls whose callers were told that they run.'],
  ignoredSignals: ['ignored_signals', 'Handlers that continued after their signal was aborted.'],
  late: ['late_results', 'Results that arrived after their call was answered.'],
  resultBytes: ['result_bytes', 'Bytes of the answers of calls that ran.'],
  fullResultBytes: ['full_result_bytes', 'Bytes of full results that were kept beside shortened ones.'],
  droppedFullResultBytes: ['dropped_full_result_bytes', 'Bytes of full results that gave way to newer ones.'],
  contextBytes: ['context_bytes', 'Bytes of all answers to models, replays and refusals too.'],
  contextWarnings: ['context_warnings', 'Answers that exceeded a limit of the context monitor.'],
  loops: ['loops', 'Calls that the loop guard warned of or refused.'],
}

/**
 * The same of members that count by a name: the metric, its label and its help text.
 * @type {Record<'errors' | LabelledName, [name: string, label: string, help: string]>}
 */
const LABELLED = {
  errors: ['errors', 'type', 'Calls that failed or were refused, by type.'],
  questions: ['questions', 'event', 'Questions to users, by what happened.'],
  results: ['owed_results', 'event', 'Results of calls that were answered early, or not recorded, by what happened.'],
  reconciles: ['reconciles', 'outcome', 'Calls of unknown outcome that were looked up, by what was found out.'],
  repairs: ['repairs', 'rule', 'Values of nearly right arguments that were repaired, by rule.'],
}

const PROMETHEUS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/**
 * @param {import('../../index.js').Metrics} metrics the result of `registry.getMetrics()`
 * @param {import('../../index.js').RegistryHealth} [health] the result of `await registry.health()`
 * @returns {string} ends with `# EOF`; further families of a host come before it
 */
function prometheusText(metrics, health) {
  const { '(declared)': declared = {}, '(undeclared)': undeclared = {}, ...tools } = metrics
  const rows = rowsOf(tools).map(({ name, mode, counted }) => ({ labels: { tool: name, mode }, counted }))
  const declarations = rowsOf({ yes: declared, no: undeclared }).map(({ name, mode, counted }) => ({
    labels: { declared: name, mode },
    counted,
  }))
  const counters = Object.entries(COUNTERS).flatMap(([member, [name, help]]) =>
    family(
      name,
      'counter',
      help,
      rows.map(({ labels, counted }) => ['_total', labels, counted[/** @type {CounterName} */ (member)]]),
    ),
  )
  const labelled = Object.entries(LABELLED).flatMap(([member, [name, label, help]]) => {
    const samples = rows.flatMap(({ labels, counted }) =>
      Object.entries(counted[/** @type {LabelledName} */ (member)]).map(
        ([value, count]) => /** @type {Sample} */ (['_total', { ...labels, [label]: value }, count]),
      ),
    )
    return family(name, 'counter', help, samples)
  })
  const durations = rows.flatMap(({ labels, counted }) =>
    counted.latencyHistogram === null ? [] : histogramSamples(labels, counted.latencyHistogram),
  )
  return [
    ...counters,
    ...labelled,
    ...family('call_duration_seconds', 'histogram', 'Time from admission to answer, of calls that ran.', durations),
    ...family(
      'declarations',
      'counter',
      'Declarations of tools, sent to models or left out by search or deferral.',
      declarations.map(({ labels, counted }) => ['_total', labels, counted.declarations ?? 0]),
    ),
    ...family(
      'declaration_tokens',
      'counter',
      'Estimated tokens of these declarations.',
      declarations.map(({ labels, counted }) => ['_total', labels, counted.declarationTokens ?? 0]),
    ),
    ...(health === undefined ? [] : healthFamilies(health)),
    '# EOF',
  ]
    .map(line => `${line}\n`)
    .join('')
}

/** @param {import('../../index.js').RegistryHealth} health @returns {string[]} lines */
function healthFamilies({ storeError, audit, owed }) {
  return [
    ...family('store_usable', 'gauge', '1 if the session store can be used, else 0.', [
      ['', {}, storeError === null ? 1 : 0],
    ]),
    ...family('audit_lost_lines', 'counter', 'Audit lines that could not be written.', [['_total', {}, audit.lost]]),
    ...family(
      'oldest_owed_result_age_seconds',
      'gauge',
      'How long the oldest result of the store has been owed.',
      owed.oldestAgeMs === null ? [] : [['', {}, owed.oldestAgeMs / 1000]],
    ),
  ]
}

/**
 * A series for the total would be counted twice in a sum over the modes.
 * @param {Record<string, Record<string, ToolCounters>>} metrics
 */
const rowsOf = metrics =>
  Object.entries(metrics).flatMap(([name, modes]) =>
    Object.entries(modes)
      .filter(([mode]) => mode !== 'total')
      .map(([mode, counted]) => ({ name, mode, counted })),
  )

/** @param {string} name @param {string} type @param {string} help @param {Sample[]} samples @returns {string[]} lines */
function family(name, type, help, samples) {
  return [
    `# TYPE toolgate_${name} ${type}`,
    ...(name.endsWith('_seconds') ? [`# UNIT toolgate_${name} seconds`] : []),
    `# HELP toolgate_${name} ${help}`,
    ...samples.map(([suffix, labels, value]) => `toolgate_${name}${suffix}${labelText(labels)} ${value}`),
  ]
}

/**
 * The samples of a histogram. A bucket of OpenMetrics includes the buckets below it.
 * @param {Record<string, string>} labels
 * @param {Histogram} histogram
 * @returns {Sample[]}
 */
function histogramSamples(labels, { boundsMs, counts, sumMs }) {
  let calls = 0
  const buckets = counts.map((count, index) => {
    calls += count
    const le = index < boundsMs.length ? String(boundsMs[index] / 1000) : '+Inf'
    return /** @type {Sample} */ (['_bucket', { ...labels, le }, calls])
  })
  return [...buckets, ['_sum', labels, sumMs / 1000], ['_count', labels, calls]]
}

/** @param {Record<string, string>} labels */
function labelText(labels) {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

/** @param {string} value */
const escaped = value => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

module.exports = { PROMETHEUS_TYPE, prometheusText }
