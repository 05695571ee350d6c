// Which plots the page has, and what of the results each shows. A part that was not measured has no plot.
import { microseconds } from '../report.mjs'
import { barChart } from './bar-chart.mjs'

const GATEWAYS = [
  ['naive', 'naive JS'],
  ['js', 'optimised JS'],
  ['toolgate', 'Toolgate'],
]
const kinds = GATEWAYS.map(([kind]) => kind)

const SHOWN = [
  'small-text-id',
  'small-text-hash',
  'medium-text-id',
  'medium-text-hash',
  'large-text-id',
  'large-text-hash',
  'huge-text-hash',
  'large-object-id',
]
const PEERS = {
  toolgate: 'Toolgate',
  js: 'plain JS gateway, optimised',
  'openai-agents': 'OpenAI Agents',
  langchain: 'LangChain',
  mcp: 'MCP client and server',
  'ai-sdk': 'AI SDK, what a tool adds',
}

/** @returns {Record<string, string>} file name → SVG */
export function chartsOf(results) {
  const drawn = {
    'calls.svg': calls(results),
    'refusals.svg': refusals(results),
    'peers.svg': peers(results),
    'event-loop.svg': eventLoop(results),
    'startup.svg': startup(results),
  }
  return Object.fromEntries(Object.entries(drawn).filter(([, svg]) => svg !== null))
}

function calls({ cases }) {
  const rows = SHOWN.map(name => cases.find(row => row.name === name)).filter(row => row)
  return caseChart('One call, end to end', "time as a share of the naive gateway's; shorter is better", rows)
}

function refusals({ cases }) {
  const rows = cases.filter(({ group }) => group === 'refusal' || group === 'replay')
  return caseChart('Replays and refusals', "time as a share of the naive gateway's; shorter is better", rows)
}

/** Shares, so that calls of 10 µs and of 100 ms stand in one plot. */
function caseChart(title, subtitle, rows) {
  if (rows.length === 0) return null
  const share = ({ us }, kind) => ({ kind, value: us[kind] / us.naive, text: `${microseconds(us[kind])} µs` })
  return barChart({
    title,
    subtitle,
    legend: GATEWAYS,
    rows: rows.map(row => ({ label: row.title, bars: kinds.map(kind => share(row, kind)) })),
  })
}

function peers({ peers: measured }) {
  if (!measured) return null
  const rows = Object.entries(PEERS).map(([name, label]) => ({
    label,
    bars: [
      {
        kind: name in { toolgate: 1, js: 1 } ? name : 'other',
        value: measured.us[name],
        text: `${microseconds(measured.us[name])} µs`,
      },
    ],
  }))
  return barChart({
    title: 'The same small call through others',
    subtitle: '100 B of arguments, same handler, no network; shorter is better',
    legend: [],
    rows,
  })
}

function eventLoop({ eventLoop: measured }) {
  if (!measured) return null
  const bar = key => kind => ({
    kind,
    value: measured[key][kind].maxMs,
    text: `${measured[key][kind].maxMs.toFixed(0)} ms`,
  })
  const rows = [
    ['id', 'provider id'],
    ['hash', 'content hash'],
  ].map(([key, label]) => ({ label, bars: kinds.map(bar(key)) }))
  return barChart({
    title: 'What else in the process waits',
    subtitle: 'longest delay of a heartbeat while 2 MB calls flow; shorter is better',
    legend: GATEWAYS,
    rows,
  })
}

function startup({ startup: sets }) {
  if (!sets) return null
  const legend = [
    ['js', 'Ajv'],
    ['toolgate', 'Toolgate'],
  ]
  const bar =
    medians =>
    ([kind]) => ({ kind, value: medians[kind].readyMs, text: `${medians[kind].readyMs.toFixed(0)} ms` })
  const rows = sets.map(({ toolCount, medians }) => ({ label: `${toolCount} tools`, bars: legend.map(bar(medians)) }))
  return barChart({
    title: 'Start-up',
    subtitle: 'until all tools are ready; logarithmic, shorter is better',
    legend,
    rows,
    scale: 'log',
  })
}
