import { createAuditCounter, createDashboard } from '../../tools/_services/dashboard.js'
import { ServiceError } from '../../tools/_services/service-errors.js'
import * as handler from '../../tools/get_dashboard_stats/handler.js'
import { failing, takes, toolRunner } from './support/run-tool.mjs'

const run = toolRunner(handler, 'get_dashboard_stats')
const statsOf = (stats, args = {}) => run(args, { services: { dashboard: { getStats: async () => stats } } })
const counted = (calls, over = {}) => ({
  calls,
  errors: {},
  replays: 1,
  retries: 2,
  cached: 0,
  ignoredSignals: 0,
  timeouts: 3,
  cancellations: 4,
  late: 0,
  resultBytes: 10,
  latencyMs: { p50: 1.5, p95: 2, p99: null },
  ...over,
})
const row = (tool_id, mode, calls, errors = {}) => ({
  tool_id,
  mode,
  calls,
  errors,
  p50_ms: 1.5,
  p95_ms: 2,
  p99_ms: null,
})

test('totals and the busiest tools first', async () => {
  const metrics = {
    kb_get: { text: counted(1), voice: counted(5, { errors: { NOT_FOUND: 1 } }), total: counted(6) },
    '(unknown)': { text: counted(1, { errors: { NOT_FOUND: 1 } }) },
    // No call of a tool.
    '(declared)': { text: counted(0, { declarations: 9, declarationTokens: 900 }) },
  }
  const audit = { since: '2026-11-23T00:00:00.000Z', events: { tool_execution: 6 } }
  const { ok, data } = await statsOf({ metrics, audit }, { limit: 2 })
  expect(ok).toBe(true)
  expect(Math.abs(Date.parse(data.generated_at) - Date.now())).toBeLessThan(60_000)
  expect({ ...data, generated_at: null }).toEqual({
    generated_at: null,
    totals: {
      calls: 7,
      errors: 2,
      error_percent: 28.6,
      replays: 3,
      retries: 6,
      timeouts: 9,
      cancellations: 12,
      result_bytes: 30,
    },
    tools: [row('kb_get', 'voice', 5, { NOT_FOUND: 1 }), row('(unknown)', 'text', 1, { NOT_FOUND: 1 })],
    more_tools: 1,
    audit,
  })
})

test('nothing counted yet', async () => {
  const { data } = await statsOf({ metrics: {} })
  expect(data).toMatchObject({
    totals: { calls: 0, errors: 0, error_percent: null },
    tools: [],
    more_tools: 0,
    audit: null,
  })
})

test.each([[null], [undefined], [{}], [{ metrics: 'many' }]])('garbage %j is no answer', async stats => {
  expect(await statsOf(stats)).toMatchObject({
    ok: false,
    error: { type: 'TRANSIENT', details: { reason: 'unusable_answer' } },
  })
})

test('a service that fails', async () => {
  const failed = error => run({}, { services: { dashboard: { getStats: failing(error) } } })
  expect(await failed(new ServiceError('TIMEOUT', 'x'))).toMatchObject({ ok: false, error: { type: 'TRANSIENT' } })
  await expect(failed(new RangeError('bug'))).rejects.toThrow(RangeError)
})

test('limits', () => {
  for (const args of [{ limit: 0 }, { limit: 51 }, { limit: 1.5 }, { limit: '5' }, { tool: 'x' }]) {
    expect(takes('get_dashboard_stats', args)).toBe(false)
  }
})

describe('the audit counter', () => {
  test('counts events by name, and ignores what is none', () => {
    const audit = createAuditCounter()
    for (const line of ['{"event":"b"}', '{"event":"a"}', '{"event":"b"}', '{"event":1}', '{}', 'null', '[]', 'no', ''])
      audit.count(line)
    const { since, events } = audit.counts()
    expect(Math.abs(Date.parse(since) - Date.now())).toBeLessThan(60_000)
    expect(events).toEqual({ a: 1, b: 2 })
  })

  test('is bounded, and safe from names of members', () => {
    const audit = createAuditCounter()
    audit.count('{"event":"__proto__"}')
    for (let at = 0; at < 500; at += 1) audit.count(`{"event":"e${at}"}`)
    audit.count(`{"event":"${'x'.repeat(101)}"}`)
    expect(Object.keys(audit.counts().events)).toHaveLength(100)
  })
})

test('the service asks the registry when it is asked', async () => {
  let registry
  const dashboard = createDashboard({ registry: () => registry })
  registry = { getMetrics: () => ({ a: {} }) }
  expect(await dashboard.getStats()).toEqual({ metrics: { a: {} }, audit: null })
  expect(() => createDashboard({})).toThrow(TypeError)
})
