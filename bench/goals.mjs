// What Toolgate wants to be, and whether it is: each goal with where its figure stands in the results of a run. A goal that
// is missed is printed as that; no test asserts one.

import { timesOfNode } from './cli.mjs'
import { growthOf } from './growth/measure-growth.mjs'
import { sessionGrowth } from './growth/one-session.mjs'
import { storeRate, storeRatio } from './stores/report.mjs'

/** @typedef {{ title: string, atMost?: number, atLeast?: number, unit: 'ratio' | 'times' | 'µs' | 'ms' | 'MB' | 'KB' | 'count', read: (results: object) => number | null | undefined }} Goal */

const caseOf = (results, name) => results.cases?.find(row => row.name === name)
const againstNaive = name => results => caseOf(results, name)?.ratio.naive.median
const peer = name => results => results.peers?.times[name].median
const beyondClient = title => results => results.mcp?.cpu.find(row => row.title === title)?.aboveUs.median
const startup = results => results.startup?.find(({ toolCount }) => toolCount === 500)?.medians

/** @type {Goal[]} */
export const goals = [
  {
    title: "small text arguments, content hash, end to end: of the naive gateway's time",
    atMost: 0.5,
    unit: 'ratio',
    read: againstNaive('small-text-hash'),
  },
  {
    title: "small text arguments, provider id: of the naive gateway's time",
    atMost: 0.85,
    unit: 'ratio',
    read: againstNaive('small-text-id'),
  },
  {
    title: 'what the gateway adds to a small call',
    atMost: 5,
    unit: 'µs',
    read: results => caseOf(results, 'small-text-id')?.overhead.us.toolgate.median,
  },
  {
    title: 'the same: of what the naive gateway adds',
    atMost: 0.22,
    unit: 'ratio',
    read: results => caseOf(results, 'small-text-id')?.overhead.ratio.naive.median,
  },
  {
    title: "instructions of a small call in the core, the hashes' aside",
    atMost: 18_000,
    unit: 'count',
    read: ({ instructions }) => smallCallInstructions(instructions),
  },
  {
    title: "200 KB text, content hash: of the naive gateway's time",
    atMost: 0.25,
    unit: 'ratio',
    read: againstNaive('large-text-hash'),
  },
  {
    title: "2 MB text, content hash: of the naive gateway's time",
    atMost: 0.25,
    unit: 'ratio',
    read: againstNaive('huge-text-hash'),
  },
  {
    title: "admission alone, 2 MB text, content hash: of the naive gateway's time",
    atMost: 0.12,
    unit: 'ratio',
    read: againstNaive('refusal-validate-huge-hash'),
  },
  {
    title: "object arguments of 2 KB, provider id: of the naive gateway's time",
    atMost: 1.15,
    unit: 'ratio',
    read: againstNaive('medium-object-id'),
  },
  {
    title: "object arguments of 200 KB, provider id: of the naive gateway's time",
    atMost: 1.15,
    unit: 'ratio',
    read: againstNaive('large-object-id'),
  },
  {
    title: "event loop stalled while 2 MB calls flow, content hash: of the naive gateway's time",
    atMost: 0.05,
    unit: 'ratio',
    read: ({ eventLoop }) => eventLoop && eventLoop.hash.toolgate.maxMs / eventLoop.hash.naive.maxMs,
  },
  {
    title: "start-up with 500 tools: of Ajv's time",
    atMost: 1 / 40,
    unit: 'ratio',
    read: results => ratioOf(startup(results), 'readyMs'),
  },
  {
    title: "resident memory for 500 tools: of Ajv's",
    atMost: 1 / 3,
    unit: 'ratio',
    read: results => ratioOf(startup(results), 'rssMb'),
  },
  {
    title: "OpenAI Agents, small arguments: times Toolgate's time",
    atLeast: 1.5,
    unit: 'times',
    read: peer('openai-agents'),
  },
  { title: "LangChain, small arguments: times Toolgate's time", atLeast: 4, unit: 'times', read: peer('langchain') },
  { title: "MCP in memory, small arguments: times Toolgate's time", atLeast: 3, unit: 'times', read: peer('mcp') },
  {
    title: "AI SDK, what a tool adds to a run: times Toolgate's time",
    atLeast: 8,
    unit: 'times',
    read: peer('ai-sdk'),
  },
  ...storeGoals(),
  ...[
    ['toolgate --version', 1.5],
    ['toolgate --help', 1.5],
    ['toolgate check, two tools', 4],
  ].map(([name, atMost]) => ({
    title: `\`${name}\`: of the time of \`node -e 0\``,
    atMost: /** @type {number} */ (atMost),
    unit: /** @type {const} */ ('ratio'),
    read: ({ cli }) => cli && timesOfNode(cli, /** @type {string} */ (name)),
  })),
  {
    title: 'creating a session: beyond 10,000 sessions, the limit, against 1,000',
    atMost: 1.5,
    unit: 'ratio',
    read: ({ growth }) => growthOf(growth?.evicting),
  },
  {
    title: 'creating a session: among 100,000 sessions against 1,000',
    atMost: 1.5,
    unit: 'ratio',
    read: ({ growth }) => growthOf(growth?.sessions),
  },
  ...['file', 'redis'].map(store => ({
    title: `a write on the ${store} store: after 1,900 records of its session against 100`,
    atMost: 1.2,
    unit: /** @type {const} */ ('ratio'),
    read: results => sessionGrowth(results, 'records', store),
  })),
  {
    title: 'memory of an idle session',
    atMost: 6,
    unit: 'KB',
    read: ({ memory }) => memory && memory.idleSessionBytes / 1000,
  },
  {
    title: 'memory of a record',
    atMost: 0.6,
    unit: 'KB',
    read: ({ memory }) => memory && memory.recordBytes / 1000,
  },
  {
    title: 'memory that new sessions take after `end`: of what as many took before',
    atMost: 0.2,
    unit: 'ratio',
    read: ({ memory }) => memory?.takenAgain.end,
  },
  {
    title: 'voice sessions on one core, the event loop less than 20 ms late (p99)',
    atLeast: 500,
    unit: 'count',
    read: ({ voice }) => (voice?.loads.length ? voice.sessions : null),
  },
  {
    title: 'an unknown tool name among 5,000 tools',
    atMost: 500,
    unit: 'µs',
    read: ({ growth }) => growth && 1000 * growth.tools.at(-1).p50Ms,
  },
  {
    title: 'a pattern that backtracks without end, 30 characters',
    atMost: 1,
    unit: 'ms',
    read: ({ regex }) => regex && regex.ms.toolgate,
  },
  {
    title: 'tool search, held-out questions: the right tool first',
    atLeast: 0.7,
    unit: 'ratio',
    read: ({ search }) => search?.heldOut?.toolgate.at1,
  },
  {
    title: 'tool search, held-out questions: the right tool among the first five',
    atLeast: 0.9,
    unit: 'ratio',
    read: ({ search }) => search?.heldOut?.toolgate.at5,
  },
  {
    title: 'tool search, paraphrases of MCP tools: the right tool among the first five',
    atLeast: 0.85,
    unit: 'ratio',
    read: ({ search }) => search?.mcp?.toolgate.at5,
  },
  {
    title: 'knowledge base, held-out questions: a record that answers among the first five',
    atLeast: 0.9,
    unit: 'ratio',
    read: ({ search }) => search?.knowledge?.heldOut.at5,
  },
  {
    title: 'knowledge base, held-out questions without an answer: a record is found',
    atMost: 0.2,
    unit: 'ratio',
    read: ({ search }) => search?.knowledge?.unanswered?.heldOut.found,
  },
  {
    title: 'tool search over 5,000 tools, within which 99 of 100 searches end',
    atMost: 1,
    unit: 'ms',
    read: ({ search }) => search?.time?.p99Ms,
  },
  {
    title: "a source's call of 1 KB: CPU time beyond the SDK's client",
    atMost: 60,
    unit: 'µs',
    read: beyondClient('1 KB'),
  },
  {
    title: "a source's call of 100 KB: CPU time beyond the SDK's client",
    atMost: 800,
    unit: 'µs',
    read: beyondClient('100 KB'),
  },
  {
    title: 'the addon of a release, stripped',
    atMost: 16,
    unit: 'MB',
    read: ({ machine }) => (machine?.addon.build === 'release' ? machine.addon.strippedBytes / 1e6 : null),
  },
]

/** @returns {Goal[]} writes a second on durable stores, 64 calls a session */
function storeGoals() {
  const goal = (database, inFlight, other, name, atLeast) => ({
    title: `${database} store, ${inFlight} in flight: of the writes of ${name}`,
    atLeast,
    unit: /** @type {const} */ ('ratio'),
    read: results => storeRatio(results, database, other, inFlight),
  })
  const p99 = results => storeRate(results, 'file', { inFlight: 64, processes: 2 })?.p99Ms
  return [
    goal('file', 1, 'node-sqlite', '`node:sqlite` by hand', 0.7),
    goal('file', 64, 'node-sqlite', '`node:sqlite` by hand', 3),
    { title: 'file store, two processes, 64 in flight each: p99 of a call', atMost: 100, unit: 'ms', read: p99 },
    goal('redis', 1, 'ioredis', 'ioredis with a script', 0.7),
    goal('redis', 64, 'ioredis', 'ioredis with a script', 0.5),
    goal('file', 64, 'bullmq', "BullMQ's jobs", 8),
    goal('file', 64, 'dbos', "DBOS's steps", 20),
  ]
}

function smallCallInstructions(instructions) {
  const small = instructions?.counts?.find(({ name }) => name === 'small-id')
  return small && small.instructions - small.hashing
}

function ratioOf(medians, field) {
  return medians && medians.toolgate[field] / medians.js[field]
}

/**
 * @param {object} results of a run, or of some of its parts
 * @param {Goal[]} [from]
 * @returns {{ title: string, goal: string, measured: string | null, holds: boolean | null }[]} null: not measured, or not done in time
 */
export function evaluateGoals(results, from = goals) {
  return from.map(({ title, atMost, atLeast, unit, read }) => {
    const value = read(results)
    const isMeasured = typeof value === 'number' && Number.isFinite(value)
    return {
      title,
      goal: atMost === undefined ? `≥ ${figure(atLeast, unit)}` : `≤ ${figure(atMost, unit)}`,
      measured: isMeasured ? figure(value, unit) : null,
      holds: isMeasured ? (atMost === undefined ? value >= atLeast : value <= atMost) : null,
    }
  })
}

function figure(value, unit) {
  if (unit === 'ratio') return value < 0.1 ? value.toFixed(3) : value.toFixed(2)
  if (unit === 'count') return value.toFixed(0)
  if (unit === 'times') return `${value.toFixed(1)} ×`
  return `${value.toFixed(value < 0.1 ? 3 : 1)} ${unit}`
}
