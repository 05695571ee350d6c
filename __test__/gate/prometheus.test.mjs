// Metrics as Prometheus reads them.
import { createRequire } from 'node:module'

import { readOpenMetrics, samplesOf } from '../support/openmetrics.mjs'
import { toolSet } from '../support/tool-set.mjs'

const { createRegistry, prometheusText } = createRequire(import.meta.url)('../../index.js')

const AT = 'tool="echo",mode="text"'

/** The text of a process that did one call with each of these arguments. */
async function scrapeAfter(artifact, each) {
  const registry = createRegistry({
    artifact,
    audit: 'none',
    handlers: { echo: async ({ args }) => ({ ok: true, data: args }) },
  })
  await registry.load()
  const session = await registry.createSession({ sessionId: 'metrics', mode: 'text' })
  for (const args of each) {
    await session.beginTurn()
    await session.execute({ name: 'echo', args })
  }
  const text = prometheusText(registry.getMetrics())
  await registry.close()
  return text
}

const echoSet = () =>
  toolSet({ echo: { kind: 'read', properties: { n: { type: 'integer', description: 'A number.' } } } })

test('what a registry counted, a family for each counter', async () => {
  const { artifact } = await echoSet()
  const families = readOpenMetrics(await scrapeAfter(artifact, [{ n: 1 }, { n: 2 }, { n: 'three' }]))

  expect(families.get('toolgate_calls')).toMatchObject({
    type: 'counter',
    samples: { [`toolgate_calls_total{${AT}}`]: 3 },
  })
  expect(families.get('toolgate_errors').samples).toEqual({ [`toolgate_errors_total{${AT},type="VALIDATION"}`]: 1 })
  expect(families.get('toolgate_result_bytes').samples[`toolgate_result_bytes_total{${AT}}`]).toBeGreaterThan(0)
})

test('durations as a histogram, whose buckets include those below', async () => {
  const { artifact } = await echoSet()
  const families = readOpenMetrics(await scrapeAfter(artifact, [{ n: 1 }, { n: 2 }, { n: 'three' }]))
  const { type, unit, samples } = families.get('toolgate_call_duration_seconds')
  const bounds = [...Array.from({ length: 17 }, (_, doubling) => String(2 ** doubling / 1000)), '+Inf']
  const buckets = bounds.map(le => `toolgate_call_duration_seconds_bucket{${AT},le="${le}"}`)
  const [sum, count] = ['sum', 'count'].map(suffix => `toolgate_call_duration_seconds_${suffix}{${AT}}`)

  expect([type, unit, Object.keys(samples)]).toEqual(['histogram', 'seconds', [...buckets, sum, count]])
  const counts = buckets.map(bucket => samples[bucket])
  expect(counts).toEqual(counts.toSorted((one, other) => one - other))
  expect([counts.at(-1), samples[count]]).toEqual([2, 2])
  expect(samples[sum]).toBeGreaterThan(0)
})

test('questions, by what happened to them', async () => {
  const text = { type: 'string', description: 'A text.' }
  const { artifact } = await toolSet({ send: { kind: 'write', requiresConfirmation: true, properties: { text } } })
  const handlers = { send: async () => ({ ok: true, data: null }) }
  const registry = await createRegistry({ artifact, handlers, audit: 'none' }).load()
  const session = await registry.createSession({ sessionId: 'asks', mode: 'text' })
  const ask = async (id, word) => {
    const { error } = await session.execute({ id, name: 'send', args: { text: word } })
    return error.confirmation_request.token
  }
  expect((await session.confirm(await ask('call_a1b2c3d4', 'one'))).ok).toBe(true)
  const second = await ask('call_e5f6a7b8', 'two')
  await session.deny(second)
  expect((await session.confirm(second)).error.type).toBe('CONFIRMATION_EXPIRED')
  const { samples } = readOpenMetrics(prometheusText(registry.getMetrics())).get('toolgate_questions')
  await registry.close()
  const name = (mode, event) => `toolgate_questions_total{tool="send",mode="${mode}",event="${event}"}`
  expect(samples).toMatchObject({
    [name('text', 'asked')]: 2,
    [name('text', 'confirmed')]: 1,
    [name('(none)', 'denied')]: 1,
  })
})

test('the health of a registry, if it is given', async () => {
  const { artifact } = await echoSet()
  const registry = createRegistry({ artifact, audit: 'none', handlers: { echo: async () => ({ ok: true }) } })
  await registry.load()
  const health = await registry.health()
  await registry.close()
  const lossy = {
    ...health,
    storeError: 'redis can not be reached',
    audit: { failing: true, lost: 3 },
    owed: { oldestAgeMs: null },
  }
  const owing = { ...health, owed: { oldestAgeMs: 90_500 } }
  const figures = given => {
    const samples = samplesOf(prometheusText({}, given))
    return ['store_usable', 'audit_lost_lines_total', 'oldest_owed_result_age_seconds'].map(
      name => samples[`toolgate_${name}{}`],
    )
  }
  expect([figures(undefined), figures(health), figures(lossy), figures(owing)]).toEqual([
    [undefined, undefined, undefined],
    [1, 0, 0],
    [0, 3, undefined],
    [1, 0, 90.5],
  ])
})

test('the scrapes of two processes, added, are the scrape of one that did the work of both', async () => {
  const { artifact } = await echoSet()
  const work = [
    [{ n: 1 }, { n: 2 }, { n: 'three' }],
    [{ n: 4 }, { n: true }],
  ]
  const [one, other] = await Promise.all(work.map(async each => samplesOf(await scrapeAfter(artifact, each))))
  const both = samplesOf(await scrapeAfter(artifact, work.flat()))

  const added = Object.fromEntries(Object.keys(one).map(key => [key, one[key] + other[key]]))
  expect(Object.keys(added)).toEqual(Object.keys(both))
  // How long a call took differs from run to run; `src/observe/latency.rs` adds equal latencies.
  const measured = ([key]) => !/_seconds_(?:sum|bucket)\{/.test(key) || key.includes('le="+Inf"')
  expect(Object.entries(added).filter(measured)).toEqual(Object.entries(both).filter(measured))
})

test('given buckets of two processes add up to those of both', () => {
  const histogram = (counts, sumMs) => ({ boundsMs: [1, 2], counts, sumMs })
  const scrape = latencyHistogram =>
    samplesOf(prometheusText({ echo: { text: { errors: {}, ...NOTHING, latencyHistogram } } }))
  const [one, other] = [scrape(histogram([1, 0, 2], 250)), scrape(histogram([0, 3, 1], 500))]
  const added = Object.fromEntries(Object.keys(one).map(key => [key, one[key] + other[key]]))
  expect(added).toEqual(scrape(histogram([1, 3, 3], 750)))
})

test('nothing counted yet, and names that need care', () => {
  expect(samplesOf(prometheusText({}))).toEqual({})
  const counted = { ...NOTHING, calls: 1, errors: {}, latencyHistogram: null }
  const families = readOpenMetrics(prometheusText({ '(unknown)': { 'a "mode"\\\n': counted } }))
  expect(families.get('toolgate_calls').samples).toEqual({
    'toolgate_calls_total{tool="(unknown)",mode="a \\"mode\\"\\\\\\n"}': 1,
  })
  expect(families.get('toolgate_call_duration_seconds').samples).toEqual({})
})

const NOTHING = {
  calls: 0,
  replays: 0,
  retries: 0,
  cached: 0,
  ignoredSignals: 0,
  timeouts: 0,
  cancellations: 0,
  deferred: 0,
  late: 0,
  resultBytes: 0,
  fullResultBytes: 0,
  droppedFullResultBytes: 0,
  contextBytes: 0,
  contextWarnings: 0,
  loops: 0,
  questions: {},
  results: {},
  reconciles: {},
  repairs: {},
  latencyMs: { p50: null, p95: null, p99: null },
}
