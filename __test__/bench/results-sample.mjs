// Results as a run gives them, with figures that are easy to follow.
import { comparePeers } from '../../bench/peers.mjs'
import { rowOf } from '../../bench/run-case.mjs'
import { loadOf } from '../../bench/voice.mjs'

const rounds = us => ({ us: [us, us, us], busyUs: [us, us, us] })
const named = (name, group, title) => ({ name, group, title })

export function sampleMachine(changes = {}) {
  return {
    measuredOn: '2026-01-02',
    cpu: 'A Processor',
    cores: 2,
    load: 0.5,
    platform: 'Linux 6 x64',
    node: '20.0.0',
    toolgate: '0.1.0',
    ajv: '8.0.0',
    ajvFormats: '3.0.0',
    gc: true,
    addon: { id: 'abc', bytes: 12_100_000, strippedBytes: 12_000_000, build: 'release' },
    ...changes,
  }
}

/** @param {Record<string, number>} us microseconds per contender */
export function sampleRow(name, us, { group = 'arguments', title = name } = {}) {
  return rowOf(
    named(name, group, title),
    Object.fromEntries(Object.entries(us).map(([contender, value]) => [contender, rounds(value)])),
  )
}

/** @param {Record<string, number>} perSecond writes by contender */
function storeRow(database, inFlight, processes, perSecond) {
  const rate = value => ({ perSecond: value, p50Ms: 10, p95Ms: 30, p99Ms: 40 })
  const rates = Object.fromEntries(Object.entries(perSecond).map(([name, value]) => [name, rate(value)]))
  return { database, inFlight, processes, rates }
}

const latencies = p50Ms => ({ p50Ms, p95Ms: 2 * p50Ms, p99Ms: 3 * p50Ms })
const curve = points => points.map(([count, p50Ms]) => ({ count, ...latencies(p50Ms) }))

function sampleGrowth() {
  const session = (what, store, ratio) => ({
    what,
    store,
    counts: { few: 100, many: 1900 },
    few: latencies(1),
    many: latencies(ratio),
    ratio,
  })
  return {
    sessions: curve([
      [1000, 0.02],
      [100_000, 0.05],
    ]),
    evicting: curve([
      [1000, 0.02],
      [10_500, 0.022],
    ]),
    tools: curve([
      [50, 0.01],
      [5000, 0.03],
    ]),
    oneSession: {
      curves: [session('records', 'file', 1.1), session('records', 'redis', 1.5)],
      missing: [],
    },
  }
}

/** A load that is served as long as it has at most 150 sessions. */
export function sampleLoad(sessions, changes = {}) {
  const late = sessions <= 150 ? 5 : 40
  return {
    sessions,
    seconds: 2,
    warmUpSeconds: 1,
    asked: 1.5 * sessions,
    lost: 0,
    executed: 1.5 * sessions,
    failures: [],
    answerMs: { p50: 5, p95: 20, p99: 40 },
    eventLoopDelayMs: { p50: 10, p95: 12, p99: 10 + late, max: 80 },
    cpuShare: 0.5,
    waitedShare: 0.1,
    ...changes,
  }
}

export function sampleResults() {
  return {
    machine: sampleMachine(),
    cases: [
      sampleRow('small-text-id', { naive: 12, js: 6, toolgate: 4, floor: 2 }),
      sampleRow('small-text-hash', { naive: 10, js: 4, toolgate: 6, floor: 2 }, { title: '100 B, text, content hash' }),
      sampleRow(
        'refusal-known',
        { naive: 4, js: 2, toolgate: 1 },
        { group: 'refusal', title: 'refused: NOT_FOUND <&>' },
      ),
    ],
    peers: {
      versions: { ai: '6.0.0' },
      ...comparePeers({
        js: rounds(5),
        toolgate: rounds(4),
        floor: rounds(1),
        'openai-agents': rounds(24),
        langchain: rounds(20),
        mcp: rounds(48),
        'ai-sdk': rounds(160),
        'ai-sdk-without': rounds(100),
      }),
    },
    fileStore: {
      missing: [],
      rows: [
        storeRow('file', 1, 1, { 'toolgate-file': 500, 'node-sqlite': 1000 }),
        storeRow('file', 64, 1, { 'toolgate-file': 9000, 'node-sqlite': 3000 }),
        storeRow('file', 64, 2, { 'toolgate-file': 9000, 'node-sqlite': 3000 }),
      ],
    },
    redisStore: {
      missing: [],
      rows: [storeRow('redis', 64, 1, { 'toolgate-redis': 5000, ioredis: 20_000, bullmq: 1000 })],
    },
    postgresStore: {
      missing: ['`pg` is not installed'],
      rows: [storeRow('postgres', 64, 1, { 'toolgate-postgres': 300, dbos: 600 })],
    },
    latency: [{ size: 'small', calls: 10, latencies: { toolgate: latencies(0.012), floor: latencies(0.002) } }],
    growth: sampleGrowth(),
    instructions: {
      counts: [
        { name: 'small-id', title: '100 B, text, provider id', instructions: 30_000, hashing: 10_000, budget: 40_000 },
      ],
    },
    memory: {
      idleSessionBytes: 5000,
      recordBytes: 700,
      givenBack: { detach: 0.25, end: 0.5 },
      takenAgain: { detach: 0.75, end: 0.125 },
    },
    voice: {
      sessions: 100,
      everyMs: 2000,
      seconds: 2,
      warmUpSeconds: 1,
      loads: [loadOf(sampleLoad(100)), loadOf(sampleLoad(200))],
      parts: { gate: 0.1, sockets: 0.6, json: 0.3 },
      missing: [],
    },
    eventLoop: {
      id: { idle: late(1), naive: late(100), js: late(50), toolgate: late(20) },
      hash: { idle: late(1), naive: late(200), js: late(150), toolgate: late(20) },
    },
    startup: [
      {
        toolCount: 500,
        times: 5,
        medians: {
          bare: { readyMs: 0, rssMb: 40 },
          js: { readyMs: 900, rssMb: 60 },
          'js-unchecked': { readyMs: 700, rssMb: 60 },
          toolgate: { readyMs: 20, rssMb: 30 },
        },
      },
    ],
    regex: { pattern: '^(a+)+$', characters: 30, limitMs: 5000, ms: { js: null, toolgate: 0.012 } },
    load: { loadMs: 7.5 },
    build: { toolCount: 500, times: 5, medians: { ajv: { builtMs: 900 }, toolgate: { builtMs: 600 } } },
  }
}

function late(maxMs) {
  return { maxMs, p50Ms: maxMs / 10, p95Ms: maxMs / 4, p99Ms: maxMs / 2, callMs: maxMs }
}
