// Metrics as Prometheus reads them.
import { createRequire } from 'node:module'

import { toolSet } from '../support/tool-set.mjs'

const { createRegistry, prometheusText } = createRequire(import.meta.url)('../../index.js')

const SAMPLE = /^([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (\d+(?:\.\d+)?(?:e-\d+)?)$/

/** Samples by family, each line checked against the format. */
function read(text) {
  const families = new Map()
  for (const line of text.trimEnd().split('\n')) {
    const [, kind, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') families.set(name, { help: rest, samples: {} })
    else if (kind === 'TYPE') families.get(name).type = rest
    else {
      const [, sampled, labels, value] = SAMPLE.exec(line) ?? []
      expect(line).toMatch(SAMPLE)
      families.get(sampled).samples[labels] = Number(value)
    }
  }
  return families
}

test('what a registry counted, a family for each counter', async () => {
  const { artifact } = await toolSet({
    echo: { kind: 'read', properties: { n: { type: 'integer', description: 'A number.' } } },
  })
  const registry = createRegistry({
    artifact,
    audit: 'none',
    handlers: { echo: async ({ args }) => ({ ok: true, data: args }) },
  })
  await registry.load()
  const session = await registry.createSession({ sessionId: 'metrics', mode: 'text' })
  await session.beginTurn()
  for (const args of [{ n: 1 }, { n: 2 }, { n: 'three' }]) await session.execute({ name: 'echo', args })
  const families = read(prometheusText(registry.getMetrics()))
  await registry.close()

  const at = 'tool="echo",mode="text"'
  expect(families.get('toolgate_calls_total')).toMatchObject({ type: 'counter', samples: { [at]: 3 } })
  expect(families.get('toolgate_errors_total').samples).toEqual({ [`${at},type="VALIDATION"`]: 1 })
  expect(families.get('toolgate_result_bytes_total').samples[at]).toBeGreaterThan(0)
  const { type, samples } = families.get('toolgate_call_duration_seconds')
  expect([type, Object.keys(samples)]).toEqual(['summary', ['0.5', '0.95', '0.99'].map(q => `${at},quantile="${q}"`)])
  expect(samples[`${at},quantile="0.5"`]).toBeGreaterThan(0)
})

test('nothing counted yet, and names that need care', () => {
  expect([...read(prometheusText({})).values()].every(({ samples }) => Object.keys(samples).length === 0)).toBe(true)
  const counted = {
    calls: 1,
    errors: {},
    replays: 0,
    retries: 0,
    cached: 0,
    ignoredSignals: 0,
    timeouts: 0,
    cancellations: 0,
    late: 0,
    resultBytes: 0,
    latencyMs: { p50: null, p95: null, p99: null },
  }
  const families = read(prometheusText({ '(unknown)': { 'a "mode"\\\n': counted } }))
  expect(families.get('toolgate_calls_total').samples).toEqual({ 'tool="(unknown)",mode="a \\"mode\\"\\\\\\n"': 1 })
  expect(families.get('toolgate_call_duration_seconds').samples).toEqual({})
})
