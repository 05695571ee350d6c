// The dashboard and the alert rules name metrics, labels and values that a scrape has.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

import { parser } from '@prometheus-io/lezer-promql'
import { load } from 'js-yaml'

import { eventually, openGate } from '../support/gate.mjs'
import { samplesOf } from '../support/openmetrics.mjs'

const { prometheusText } = createRequire(import.meta.url)('../../index.js')
const read = path => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The scrape of a registry after calls of all kinds: metric → label → values. */
async function scrapedNames() {
  let runs = 0
  let letGo
  const { registry, session } = await openGate(
    {
      look: { kind: 'read', execute: async () => ({ ok: true, data: 'seen' }), cache: { ttlMs: 60_000 } },
      flaky: {
        kind: 'read',
        execute: () => ({ ok: false, error: { type: 'TRANSIENT', message: `try ${(runs += 1)}`, retryable: true } }),
        retry: { maxAttempts: 2, baseDelayMs: 1 },
      },
      broken: {
        execute: () => {
          throw new Error('broken')
        },
      },
      long: { resultLimitBytes: 1024, execute: () => ({ ok: true, data: ['x'.repeat(3000)] }) },
      deaf: { kind: 'write', timeoutMs: 500, execute: () => new Promise(resolve => (letGo = resolve)) },
      later: { background: true, execute: async () => ({ ok: true }) },
      lost: {
        kind: 'write',
        execute: {
          execute: () => Promise.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })),
          reconcile: () => ({ outcome: 'happened' }),
        },
      },
      gone: {
        kind: 'write',
        execute: {
          execute: () => Promise.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })),
          reconcile: () => ({ outcome: 'unknown' }),
        },
      },
      pay: {
        kind: 'write',
        requiresConfirmation: true,
        properties: { to: { type: 'string' } },
        execute: () => ({ ok: true }),
      },
      slow: {
        kind: 'read',
        execute: ({ signal }) => new Promise(resolve => signal.addEventListener('abort', resolve)),
      },
    },
    { limits: { turnContextTokens: 1, fullResultBytes: 4000 } },
  )
  const counted = () => registry.getMetrics()
  const text = await session({ policy: { totalCalls: 100 } })
  await text.execute({ id: 'call_look_first', name: 'look' })
  await text.execute({ id: 'call_look_first', name: 'look' })
  await text.execute({ id: 'call_look_again', name: 'look' })
  await text.execute({ name: 'look', args: { made: 'up' } })
  await text.execute({ id: 'call_look_loud', name: 'LOOK' })
  await text.execute({ name: 'made_up' })
  await text.execute({ name: 'flaky' })
  for (let n = 0; n < 3; n += 1) await text.execute({ id: `call_broken_${n}_x`, name: 'broken' })
  for (const id of ['call_long_first', 'call_long_again']) await text.execute({ id, name: 'long' })
  for await (const taken of text.results({ wait: false })) await taken.accept()
  await text.execute({ id: 'call_later_first', name: 'later' })
  await eventually(async () => {
    for await (const taken of text.results({ wait: false })) await taken.accept()
    return counted().later.total.results.delivered > 0
  }, 'the result was not delivered')
  for (const answer of ['confirm', 'deny']) {
    const { error } = await text.execute({ id: `call_pay_${answer}`, name: 'pay', args: { to: answer } })
    await text[answer](error.confirmation_request.token)
  }
  for (let n = 0; n < 2; n += 1) await text.execute({ id: 'call_lost_first', name: 'lost' })
  for (let n = 0; n < 2; n += 1) await text.execute({ id: 'call_gone_first', name: 'gone' })
  await text.execute({ name: 'deaf' })
  await eventually(() => letGo !== undefined, 'the handler did not run')
  await eventually(() => counted().deaf.total.ignoredSignals > 0, 'the handler did not ignore its signal')
  letGo({ ok: true })
  await eventually(() => counted().deaf.total.late > 0, 'no late result')
  const cancelled = text.execute({ id: 'call_to_cancel', name: 'slow' })
  await eventually(() => text.cancel('call_to_cancel'), 'the call did not run')
  await cancelled
  const voice = await session({ mode: 'voice' })
  await voice.execute({ name: 'look' })
  registry.getProviderSchemas('openai', { mode: 'text' })
  const lossy = { ...(await registry.health()), audit: { failing: false, lost: 1 }, owed: { oldestAgeMs: 1 } }
  return namesOf(samplesOf(prometheusText(counted(), lossy)))
}

/** Only samples above 0: a counter that no call reached shows nothing. */
function namesOf(samples) {
  const metrics = new Map()
  for (const [sample, value] of Object.entries(samples)) {
    const [, metric, labels] = /^([a-z_]+)\{(.*)\}$/.exec(sample)
    if (value === 0) continue
    if (!metrics.has(metric)) metrics.set(metric, new Map())
    for (const [, label, text] of labels.matchAll(/([a-z_]+)="([^"]*)"/g)) {
      const values = metrics.get(metric)
      values.set(label, (values.get(label) ?? new Set()).add(text))
    }
  }
  return metrics
}

/** What an expression reads: its metrics with their matchers, and the labels it groups by. */
function readsOf(expression) {
  const selectors = []
  const groups = []
  const textOf = ({ from, to }) => expression.slice(from, to)
  parser.parse(expression).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${expression}`)
      if (node.name === 'VectorSelector')
        selectors.push({ metric: textOf(node.node.getChild('Identifier')), matchers: [] })
      if (node.name === 'UnquotedLabelMatcher') {
        const [label, operator, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map(kind =>
          textOf(node.node.getChild(kind)),
        )
        selectors.at(-1).matchers.push({ label, operator, value: value.slice(1, -1) })
      }
      if (node.name === 'GroupingLabels') groups.push(...node.node.getChildren('LabelName').map(textOf))
    },
  })
  return { selectors, groups }
}

/** Grafana's variables as Prometheus gets them. */
const filledIn = expression => expression.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:tool|mode)\b/g, '.*')

/** Labels that a scrape has of its target. */
const OF_PROMETHEUS = ['job', 'instance']

/** What the expression names and the scrape does not have. */
function missingIn(scraped, expression) {
  const { selectors, groups } = readsOf(filledIn(expression))
  expect(selectors.length).toBeGreaterThan(0)
  return selectors.flatMap(({ metric, matchers }) => {
    const labels = scraped.get(metric)
    if (labels === undefined) return [metric]
    const named = [...groups, ...matchers.map(({ label }) => label)]
    const missing = named.filter(label => !labels.has(label) && !OF_PROMETHEUS.includes(label))
    return [...missing.map(label => `${metric}{${label}}`), ...unknownValues(labels, metric, matchers)]
  })
}

/** The types and placeholder tools of matchers that the gate never writes. Names of the host's own are not matched. */
function unknownValues(labels, metric, matchers) {
  return matchers
    .filter(({ value }) => value !== '.*')
    .flatMap(({ label, operator, value }) =>
      (operator.includes('~') ? value.split('|') : [value])
        .filter(each => !labels.get(label)?.has(each) && !OTHER_VALUES.has(each))
        .map(each => `${metric}{${label}="${each}"}`),
    )
}

/** Values that the calls above do not reach; the sources of the gate have them. */
const OTHER_VALUES = new Map([
  ['(sessions)', 'src/observe/metrics.rs'],
  ['late', 'src/observe/metrics.rs'],
  ['dropped', 'src/observe/metrics.rs'],
  ['unrecorded', 'src/observe/metrics.rs'],
  ['LOOP_DETECTED', 'src/error.rs'],
  ['BUDGET_EXCEEDED', 'src/error.rs'],
  ['CONFIRMATION_REQUIRED', 'src/error.rs'],
  ['CONFIRMATION_EXPIRED', 'src/error.rs'],
  ['CONFLICT', 'src/error.rs'],
])

let scraped
beforeEach(async () => {
  scraped ??= await scrapedNames()
})

test('the calls of the test reach each counter', () => {
  const families = [...prometheusText({}).matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => `${name}_total`)
  expect(families.filter(name => !scraped.has(name))).toEqual([])
})

test('the dashboard', async () => {
  const { panels, templating } = JSON.parse(await read('deploy/grafana/toolgate.json'))
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  expect(expressions.flatMap(expression => missingIn(scraped, expression))).toEqual([])
  for (const { query } of templating.list.filter(({ type }) => type === 'query')) {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query)
    expect(scraped.get(metric)?.has(label)).toBe(true)
  }
  for (const { targets } of panels) {
    for (const { expr, legendFormat } of targets) {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label)
      expect(readsOf(filledIn(expr)).groups).toEqual(expect.arrayContaining(shown))
    }
  }
})

test('the dashboard shows every metric', async () => {
  const text = await read('deploy/grafana/toolgate.json')
  expect([...scraped.keys()].filter(metric => !text.includes(metric))).toEqual([])
})

test('the alert rules', async () => {
  const { groups } = load(await read('deploy/prometheus/alerts.yaml'))
  const rules = groups.flatMap(({ rules: all }) => all)
  expect(rules.length).toBeGreaterThan(5)
  expect(rules.flatMap(({ expr }) => missingIn(scraped, expr))).toEqual([])
  for (const { alert, expr, annotations } of rules) {
    const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label)
    expect([alert, readsOf(expr).groups]).toEqual([alert, expect.arrayContaining(shown)])
  }
})

test('an alert of a first event fires: `increase` of a series that begins with 1 is 0', async () => {
  const { groups } = load(await read('deploy/prometheus/alerts.yaml'))
  const expressions = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr.replaceAll(/\s+/g, ' ')))
  // Lost lines are counted from the start, with 0.
  const ofEvents = expressions.filter(expr => expr.endsWith('> 0') && !expr.includes('_lost_lines_'))
  expect(ofEvents).toHaveLength(4)
  for (const expr of ofEvents) {
    const [, series, window] = /increase\((.+?)\[(\w+)\]\)/.exec(expr)
    // The new series come first: `or` keeps the left one of two with the same labels.
    expect(expr).toContain(`(${series} unless ${series} offset ${window}) or increase(`)
  }
})

test('values that the calls do not reach are those of the gate', async () => {
  for (const [value, file] of OTHER_VALUES) expect(await read(file)).toContain(`"${value}"`)
})
