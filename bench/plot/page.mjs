// The part of docs/performance.md that is made of the results.
import { evaluateGoals } from '../goals.mjs'
import { buildText, machineLines, microseconds, standing } from '../report.mjs'
import { gains } from './gains.mjs'
import { growthParts, latencyParts, storeParts, voiceParts } from './parts.mjs'
import { table } from './table.mjs'

const END = '<!-- end of what is made -->'
/** What is made, by the mark before it. */
const SECTIONS = {
  '<!-- what a user gets, made by `npm run bench:plot` -->': results => gains(results),
  '<!-- made by `npm run bench:plot` -->': made,
}
/** The cases that users meet; `npm run bench` prints all. */
const SHOWN_CASES = new Set([
  'small-text-id',
  'small-object-id',
  'medium-text-id',
  'large-text-id',
  'large-object-id',
  'huge-text-id',
  'result-large',
  'replay-small-id',
  'replay-large-id',
  'refusal-validate-small-id',
  'in-flight',
  'turn',
])
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
 * @returns {string} the page with the text between its marks renewed
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
    `\n${goalsText(results)}`,
    ...latencyParts(results),
    ...(results.cases.length === 0 ? [] : ['\n### Calls\n', caseTable(results.cases), `\n${losses(results.cases)}`]),
    ...charts.map(name => `\n![${CAPTIONS[name]}](performance/${name})`),
    ...besides(results),
  ]
  return `${parts.join('\n')}\n`
}

function goalsText(results) {
  const measured = evaluateGoals(results).filter(({ holds }) => holds !== null)
  const held = measured.filter(({ holds }) => holds)
  return `Of ${measured.length} goals ${held.length} hold. \`npm run bench\` prints each; \`bench/README.md\` of the repository says what limits the others.`
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
  const shown = cases.filter(({ name }) => SHOWN_CASES.has(name))
  const row = ({ title, us, ratio }) => [
    title,
    microseconds(us.floor),
    microseconds(us.naive),
    microseconds(us.js),
    microseconds(us.toolgate),
    ratio.js.median.toFixed(2),
  ]
  const head = ['µs per call', 'floor', 'naive JS', 'optimised JS', 'Toolgate', '/ optimised']
  return table(head, shown.map(row))
}

/** What is no case, as the terminal prints it. */
function besides(results) {
  const { peers, eventLoop, startup, regex, load, build } = results
  const parts = []
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
    const rows = Object.entries(eventLoop.hash).map(([name, { maxMs, p99Ms, callMs }]) => [
      name,
      ...[p99Ms, maxMs].map(ms => ms.toFixed(1)),
      name === 'idle' ? '–' : callMs.toFixed(1),
    ])
    parts.push('\n### Event loop during calls of 2 MB, ms late\n', table(['', 'p99', 'at most', 'a call takes'], rows))
  }
  if (startup)
    parts.push(
      '\n### Start-up and memory\n',
      table(['tools', 'Ajv ms', 'Ajv unchecked ms', 'Toolgate ms', 'Ajv MB', 'Toolgate MB'], startup.map(startupRow)),
    )
  parts.push(...storeParts(results), ...voiceParts(results), ...growthParts(results))
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
