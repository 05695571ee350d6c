// `npm run bench [-- names...] [--quick] [--json]`: Toolgate against a gateway in plain JavaScript. See README.md.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import { parseArgs } from 'node:util'

import { measureBuild } from './build.mjs'
import { cases } from './cases.mjs'
import { floorContender, jsContender, toolgateContender } from './contenders.mjs'
import { measure } from './measure.mjs'
import { buildLines, busyLines, caseTable, legendLines, machineLines, startupLines } from './report.mjs'
import { measureStartup } from './startup.mjs'
import { median, pairedRatio } from './statistics.mjs'
import { compileToolSet } from './tool-set.mjs'
import { tools } from './workload.mjs'

/** Per case. All cases and the start-up together take about two minutes. */
const BUDGET_MS = 3800
const QUICK_BUDGET_MS = 400
/** Of the measurements in fresh processes. */
const TOOL_COUNT = 500

const USAGE = `usage: npm run bench -- [names...] [--quick] [--json]
  names    only the cases whose name holds one of these: ${cases.map(({ name }) => name).join(', ')}, startup, build
  --quick  a tenth of the time: to see that it runs, not to compare
  --json   the numbers as JSON on standard output`

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  const isWanted = (name) => positionals.length === 0 || positionals.some((part) => name.includes(part))
  const chosen = cases.filter(({ name }) => isWanted(name))
  const withStartup = isWanted('startup')
  const withBuild = isWanted('build')
  if (chosen.length === 0 && !withStartup && !withBuild) {
    const message = `no case is named like ${positionals.map((part) => `\`${part}\``).join(', ')}`
    throw Object.assign(new Error(message), { code: 'ERR_PARSE_ARGS_NO_CASE' })
  }
  return { ...values, chosen, withStartup, withBuild }
}

function describeMachine() {
  const version = (name) => createRequire(import.meta.url)(`${name}/package.json`).version
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown processor',
    cores: os.availableParallelism(),
    load: os.loadavg()[0],
    platform: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.versions.node,
    toolgate: JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version,
    ajv: version('ajv'),
    ajvFormats: version('ajv-formats'),
    gc: globalThis.gc !== undefined,
  }
}

async function runCase(testCase, toolSet, budgetMs) {
  const contenders = [
    await jsContender(toolSet, testCase.handlers, testCase.objectArgs),
    await toolgateContender(toolSet, testCase.handlers),
    ...(testCase.hasFloor ? [await floorContender(toolSet, testCase.handlers)] : []),
  ]
  try {
    const rounds = await measure(testCase, contenders, { budgetMs })
    const medians = (field) => Object.fromEntries(contenders.map(({ name }) => [name, median(rounds[name][field])]))
    return {
      name: testCase.name,
      title: testCase.title,
      rounds: rounds.js.us.length,
      us: medians('us'),
      busyUs: medians('busyUs'),
      ratio: pairedRatio(rounds.toolgate.us, rounds.js.us),
      busyRatio: pairedRatio(rounds.toolgate.busyUs, rounds.js.busyUs),
    }
  } finally {
    for (const contender of contenders) await contender.close()
  }
}

async function runCases(chosen, budgetMs, onRow) {
  if (chosen.length === 0) return []
  const toolSet = await compileToolSet(tools)
  try {
    const rows = []
    for (const testCase of chosen) {
      const row = await runCase(testCase, toolSet, budgetMs)
      rows.push(row)
      onRow(row)
    }
    return rows
  } finally {
    toolSet.remove()
  }
}

async function main() {
  const { quick, json, help, chosen, withStartup, withBuild } = readOptions()
  const say = json ? () => {} : (...lines) => lines.forEach((line) => console.log(line))
  if (help) return console.log(USAGE)

  const machine = describeMachine()
  const table = caseTable(chosen.map(({ title }) => title))
  say(...machineLines(machine), '')
  if (chosen.length > 0) say(table.header())
  const rows = await runCases(chosen, quick ? QUICK_BUDGET_MS : BUDGET_MS, (row) => say(table.row(row)))
  if (rows.length > 0) say('', ...legendLines(rows), ...busyLines(rows), '')

  const startup = withStartup ? await measureStartup({ toolCount: TOOL_COUNT, times: quick ? 1 : 7 }) : null
  if (startup) say(...startupLines(startup))
  const build = withBuild ? await measureBuild({ toolCount: TOOL_COUNT, times: quick ? 1 : 5 }) : null
  if (build) say(...buildLines(build))
  if (json) console.log(JSON.stringify({ machine, cases: rows, startup, build }, null, 2))
}

try {
  await main()
} catch (problem) {
  console.error(problem.code?.startsWith?.('ERR_PARSE_ARGS') ? `${problem.message}\n${USAGE}` : problem)
  process.exitCode = 1
}
