// The part of docs/performance.md that is made of the results.
import { evaluateGoals } from '../goals.mjs'
import { buildText, machineLines, microseconds, standing } from '../report.mjs'
import { storeRows } from '../stores/report.mjs'
import { gains } from './gains.mjs'
import { growthParts, latencyParts, voiceParts } from './parts.mjs'
import { table } from './table.mjs'

const END = '<!-- end of what is made -->'
/** What is made, by the mark before it. */
const SECTIONS = {
  '<!-- what a user gets, made by `npm run bench:plot` -->': results => gains(results),
  '<!-- made by `npm run bench:plot` -->': made,
}
const CAPTIONS = {
  'calls.svg': 'Calls of different sizes through three gateways',
  'refusals.svg': 'Replays and refusals through three gateways',
  'peers.svg': 'A small call through Toolgate and its peers',
  'event-loop.svg': 'The longest delay of the event loop',
  'startup.svg': 'Start-up with 20, 500 and 5000 tools',
}

/**
 * @param {string} page
 * @param {object} results
 * @param {string[]} charts file names
 * @returns {string} the page with what stands between its marks made anew
 */
export function renewPage(page, results, charts) {
  let renewed = page
  for (const [begin, make] of Object.entries(SECTIONS)) {
    const from = renewed.indexOf(begin)
    const to = renewed.indexOf(END, from)
    if (from < 0 || to < 0) throw new Error(`the page has no \`${begin}\` … \`${END}\``)
    renewed = `${renewed.slice(0, from)}${begin}\n\n${make(results, charts)}\n${renewed.slice(to)}`
  }
  return renewed
}

function made(results, charts) {
  const { machine, peers } = results
  const parts = [
    ...(machine.addon.build === 'release'
      ? []
      : [`> **Not a release's figures:** the addon measured here is ${buildText(machine.addon.build)}.\n`]),
    `Measured on ${machine.measuredOn}:\n`,
    ...machineLines(machine, peers?.versions).map(line => `- ${line}`),
    '\n### Goals\n',
    goalTable(results),
    ...charts.map(name => `\n![${CAPTIONS[name]}](performance/${name})`),
    ...(results.cases.length === 0
      ? []
      : ['\n### Losses\n', losses(results.cases), '\n### Every case\n', caseTable(results.cases)]),
    ...besides(results),
  ]
  return `${parts.join('\n')}\n`
}

function goalTable(results) {
  const state = holds => (holds === null ? 'not measured' : holds ? 'holds' : '**missed**')
  return table(
    ['goal', 'limit', 'measured', ''],
    evaluateGoals(results).map(({ title, goal, measured, holds }) => [title, goal, measured ?? '–', state(holds)]),
  )
}

function losses(cases) {
  const lost = cases.filter(row => standing(row).startsWith('LOSS'))
  if (lost.length === 0) return 'In no case is Toolgate slower than either gateway in plain JavaScript.'
  const told = lost.map(
    ({ title, ratio }) =>
      `- ${title}: ${ratio.js.median.toFixed(2)} of the optimised gateway's time, ${ratio.naive.median.toFixed(2)} of the naive one's`,
  )
  return [`Toolgate is slower than one of the gateways in ${lost.length} of ${cases.length} cases:\n`, ...told].join(
    '\n',
  )
}

function caseTable(cases) {
  const row = ({ title, us, ratio }) => [
    title,
    microseconds(us.floor),
    microseconds(us.naive),
    microseconds(us.js),
    microseconds(us.toolgate),
    ratio.naive.median.toFixed(2),
    ratio.js.median.toFixed(2),
  ]
  const head = ['µs per call', 'floor', 'naive JS', 'optimised JS', 'Toolgate', '/ naive', '/ optimised']
  return table(head, cases.map(row))
}

/** What is no case, as the terminal prints it. */
function besides(results) {
  const { peers, eventLoop, startup, regex, load, build } = results
  const parts = latencyParts(results)
  if (peers)
    parts.push(
      '\n### Peers\n',
      table(
        ['', 'µs', "times Toolgate's"],
        Object.entries(peers.times).map(([name, { median }]) => [
          name,
          microseconds(peers.us[name]),
          median.toFixed(1),
        ]),
      ),
    )
  if (eventLoop) {
    const rows = ['id', 'hash'].flatMap(key =>
      Object.entries(eventLoop[key]).map(([name, { maxMs, p50Ms, p95Ms, p99Ms, callMs }]) => [
        `${name}, ${key}`,
        ...[p50Ms, p95Ms, p99Ms, maxMs].map(ms => ms.toFixed(1)),
        name === 'idle' ? '–' : callMs.toFixed(1),
      ]),
    )
    parts.push('\n### Event loop, ms late\n', table(['', 'p50', 'p95', 'p99', 'at most', 'a call takes'], rows))
  }
  if (startup)
    parts.push(
      '\n### Start-up and memory\n',
      table(['tools', 'Ajv ms', 'Ajv unchecked ms', 'Toolgate ms', 'Ajv MB', 'Toolgate MB'], startup.map(startupRow)),
    )
  const stores = storeRows(results)
  if (stores.length > 0)
    parts.push(
      '\n### Durable stores, writes a second\n',
      table(
        ['database', 'in flight', 'processes', 'who', 'writes', 'p50 ms', 'p95 ms', 'p99 ms'],
        stores.flatMap(storeCells),
      ),
    )
  parts.push(...voiceParts(results), ...growthParts(results))
  const ms = (value, digits) => (value === null ? 'not done in time' : `${value.toFixed(digits)} ms`)
  if (regex)
    parts.push(
      `\nThe pattern \`${regex.pattern}\` on ${regex.characters} characters: Ajv ${ms(regex.ms.js, 3)} (${regex.limitMs / 1000} s), Toolgate ${ms(regex.ms.toolgate, 3)}.`,
    )
  if (load) parts.push(`\nNode loads the addon in ${ms(load.loadMs, 1)}.`)
  if (build)
    parts.push(
      `\nA build of ${build.toolCount} tool folders from cold takes ${ms(build.medians.toolgate.builtMs, 0)}; compiling their schemas alone with Ajv ${ms(build.medians.ajv.builtMs, 0)}.`,
    )
  return parts
}

/** @param {import('../stores/measure-stores.mjs').StoreRow} row */
function storeCells({ database, inFlight, processes, rates }) {
  return Object.entries(rates).map(([name, { perSecond, p50Ms, p95Ms, p99Ms }]) =>
    [database, inFlight, processes, name, perSecond.toFixed(0), ...[p50Ms, p95Ms, p99Ms].map(ms => ms.toFixed(1))].map(
      String,
    ),
  )
}

function startupRow({ toolCount, medians }) {
  const figure = (name, field) => medians[name][field].toFixed(0)
  return [
    toolCount,
    figure('js', 'readyMs'),
    figure('js-unchecked', 'readyMs'),
    figure('toolgate', 'readyMs'),
    figure('js', 'rssMb'),
    figure('toolgate', 'rssMb'),
  ]
}
