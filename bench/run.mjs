// `npm run bench [-- names...] [--quick] [--json] [--save]`: Toolgate against gateways in plain JavaScript, and against peers.
// See README.md.
import { parseArgs } from 'node:util'

import { measureLoad } from './binary.mjs'
import { measureBuild } from './build.mjs'
import { runningCases } from './cases.mjs'
import { cliLines, measureCli } from './cli.mjs'
import { measureEventLoop } from './event-loop.mjs'
import { evaluateGoals } from './goals.mjs'
import { measureGrowth } from './growth/measure-growth.mjs'
import { measureMemory } from './growth/memory.mjs'
import { growthLines, memoryLines } from './growth/report.mjs'
import { measureInstructions } from './instructions.mjs'
import { callLatencyLines, measureLatency } from './latency.mjs'
import { describeMachine } from './machine.mjs'
import { mcpLines, measureMcp } from './mcp/measure-mcp.mjs'
import { messageCases } from './messages.mjs'
import { arePeersInstalled, comparePeers, installPeers, openPeers, peersCase, peerVersions } from './peers.mjs'
import { refusalCases } from './refusals.mjs'
import { measureRegex } from './regex.mjs'
import * as report from './report.mjs'
import { saveResults } from './results.mjs'
import { roundsOf, rowOf } from './run-case.mjs'
import { measureKnowledge } from './search/measure-knowledge.mjs'
import { measureSearch } from './search/measure-search.mjs'
import { measureTokens } from './search/measure-tokens.mjs'
import { searchLines } from './search/report.mjs'
import { measureStartup } from './startup.mjs'
import { limitLines, measureLimits } from './stores/measure-limits.mjs'
import { measureStore } from './stores/measure-stores.mjs'
import { storeLines } from './stores/report.mjs'
import { compileToolSet } from './tool-set.mjs'
import { measureVoice, voiceLines } from './voice.mjs'
import { tools } from './workload.mjs'

/** Per case. All of them together take about three minutes; the parts are named so that a run can be made in pieces. */
const BUDGET_MS = 3000
const QUICK_BUDGET_MS = 300

const cases = [...runningCases(), ...messageCases(), ...refusalCases()]

/** Extra measurements: name, function, report lines. */
const PARTS = {
  latency: { name: 'latency', measure: measureLatency, lines: callLatencyLines },
  eventLoop: { name: 'event-loop', measure: measureEventLoop, lines: report.eventLoopLines },
  startup: { name: 'startup', measure: measureStartup, lines: report.startupLines },
  regex: { name: 'regex', measure: measureRegex, lines: report.regexLines },
  load: {
    name: 'load',
    measure: measureLoad,
    lines: ({ loadMs }) => [`The addon is loaded in ${loadMs.toFixed(1)} ms`],
  },
  cli: { name: 'cli', measure: measureCli, lines: cliLines },
  build: { name: 'build', measure: measureBuild, lines: report.buildLines },
  instructions: { name: 'instructions', measure: () => measureInstructions('fast'), lines: report.instructionLines },
  growth: { name: 'growth', measure: measureGrowth, lines: growthLines },
  memory: { name: 'memory', measure: measureMemory, lines: memoryLines },
  fileStore: storePart('file'),
  redisStore: storePart('redis'),
  postgresStore: storePart('postgres'),
  limits: { name: 'limits', measure: measureLimits, lines: limitLines },
  voice: { name: 'voice', measure: measureVoice, lines: voiceLines },
  mcp: { name: 'mcp', measure: measureMcp, lines: mcpLines },
  search: {
    name: 'search',
    measure: async () => ({
      ...(await measureSearch()),
      knowledge: await measureKnowledge(),
      tokens: await measureTokens(),
    }),
    lines: searchLines,
  },
}
const partNames = ['peers', ...Object.values(PARTS).map(({ name }) => name)]

const USAGE = `usage: npm run bench -- [names...] [--quick] [--json] [--save]
  names    only what has one of these in its name: ${[...cases.map(({ name }) => name), ...partNames].join(', ')};
           \`peers\` installs them first
  --quick  a tenth of the time: to see that it runs, not to compare
  --json   the numbers as JSON on standard output
  --save   keep the numbers in docs/performance/results.json, of which \`npm run bench:plot\` makes the page and its plots`

/** @param {import('./stores/measure-stores.mjs').Database} database */
function storePart(database) {
  return { name: `stores-${database}`, measure: options => measureStore(database, options), lines: storeLines }
}

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean' },
      save: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const isWanted = name => positionals.length === 0 || positionals.some(part => name.includes(part))
  const chosen = cases.filter(({ name }) => isWanted(name))
  const parts = Object.entries(PARTS).filter(([, { name }]) => isWanted(name))
  if (chosen.length === 0 && parts.length === 0 && !isWanted('peers')) {
    const message = `nothing is named like ${positionals.map(part => `\`${part}\``).join(', ')}`
    throw Object.assign(new Error(message), { code: 'ERR_PARSE_ARGS_NO_CASE' })
  }
  return { ...values, chosen, parts, withPeers: isWanted('peers'), mayInstall: positionals.length > 0 }
}

async function runCases(chosen, toolSet, budgetMs, say) {
  if (chosen.length === 0) return []
  const table = report.caseTable(chosen.map(({ title }) => title))
  say(table.header())
  const rows = []
  for (const testCase of chosen) {
    const row = rowOf(testCase, await roundsOf(testCase, toolSet, { budgetMs }))
    rows.push(row)
    say(table.row(row))
  }
  say('', ...report.legendLines(rows), ...report.busyLines(rows), '')
  return rows
}

/** @returns why the peers can't be measured, null if they can */
async function missingPeers(mayInstall) {
  if (mayInstall) return installPeers()
  return arePeersInstalled() ? null : '`npm run bench -- peers` installs them'
}

async function runPeers({ mayInstall }, toolSet, budgetMs, say) {
  const reason = await missingPeers(mayInstall)
  if (reason !== null) {
    say(`skipped: the peers, because they are not installed: ${reason}`, '')
    return null
  }
  const compared = comparePeers(await roundsOf(peersCase(), toolSet, { budgetMs: 3 * budgetMs, more: openPeers }))
  say(...report.peerLines(compared), '')
  return { versions: peerVersions(), ...compared }
}

async function main() {
  const options = readOptions()
  const { quick, json, save, help, chosen, parts, withPeers } = options
  const say = json ? () => {} : (...lines) => lines.forEach(line => console.log(line))
  if (help) return console.log(USAGE)

  const budgetMs = quick ? QUICK_BUDGET_MS : BUDGET_MS
  const machine = await describeMachine()
  say(...report.machineLines(machine), '')
  const results = { machine, cases: [], peers: null }
  const toolSet = await compileToolSet(tools)
  try {
    results.cases = await runCases(chosen, toolSet, budgetMs, say)
    if (withPeers) results.peers = await runPeers(options, toolSet, budgetMs, say)
  } finally {
    toolSet.remove()
  }
  for (const [part, { measure, lines }] of parts) {
    results[part] = await measure({ isQuick: quick })
    say(...lines(results[part]), '')
  }
  say(...report.goalLines(evaluateGoals(results)))
  if (save) saveResults(results)
  if (json) console.log(JSON.stringify({ ...results, goals: evaluateGoals(results) }, null, 2))
}

try {
  await main()
} catch (problem) {
  console.error(problem.code?.startsWith?.('ERR_PARSE_ARGS') ? `${problem.message}\n${USAGE}` : problem)
  process.exitCode = 1
}
