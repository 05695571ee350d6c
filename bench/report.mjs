// What the terminal shows: losses as plainly as wins.

/** Ratios this near to 1 are called even: two runs on one machine differ by more. */
const EVEN = 0.05

const COLUMNS = [
  ['case', (row) => row.title],
  ['floor', (row) => microseconds(row.us.floor)],
  ['plain JS', (row) => microseconds(row.us.js)],
  ['Toolgate', (row) => microseconds(row.us.toolgate)],
  ['ratio', (row) => row.ratio.median.toFixed(2)],
  ['middle half', (row) => `${row.ratio.lower.toFixed(2)}–${row.ratio.upper.toFixed(2)}`],
  ['min–max', (row) => `${row.ratio.min.toFixed(2)}–${row.ratio.max.toFixed(2)}`],
  ['', (row) => verdict(row.ratio.median)],
]

/** @param {number} ratio Toolgate's time over plain JavaScript's */
export function verdict(ratio) {
  if (ratio > 1 + EVEN) return `LOSS: ${factor(ratio)} the time`
  if (ratio < 1 - EVEN) return `${factor(1 / ratio)} as fast`
  return 'even'
}

export function machineLines(machine) {
  return [
    `${machine.cpu}, ${machine.cores} cores, load ${machine.load.toFixed(2)}; ${machine.platform}`,
    `Node ${machine.node}, toolgate ${machine.toolgate}, ajv ${machine.ajv}, ajv-formats ${machine.ajvFormats}`,
    ...(machine.gc ? [] : ['without --expose-gc: blocks also pay for what others left behind']),
  ]
}

/** The header, then a line as each case is done: the run takes minutes. */
export function caseTable(titles) {
  const widths = COLUMNS.map(([heading], column) => (column === 0 ? Math.max(...titles.map((title) => title.length)) : Math.max(heading.length, 9)))
  const line = (cells) => cells.map((cell, column) => (column === 0 || column === COLUMNS.length - 1 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join('  ').trimEnd()
  return {
    header: () => line(COLUMNS.map(([heading]) => heading)),
    row: (row) => line(COLUMNS.map(([, cell]) => cell(row))),
  }
}

/** Where Toolgate works on another thread, what counts for everything else in the process is the JavaScript thread. */
export function busyLines(rows) {
  const offloaded = rows.filter(({ us, busyUs }) => busyUs.toolgate < 0.9 * us.toolgate)
  if (offloaded.length === 0) return []
  const lines = offloaded.map(({ title, busyUs, busyRatio }) =>
    `  ${title}: ${microseconds(busyUs.js)} plain JS, ${microseconds(busyUs.toolgate)} Toolgate, ratio ${busyRatio.median.toFixed(2)}; ${verdict(busyRatio.median)}`)
  return ['Work done off the JavaScript thread; of each call, that thread is taken for (µs):', ...lines]
}

export function startupLines({ toolCount, times, medians }) {
  const of = (name) => `${medians[name].readyMs.toFixed(0)} ms, ${medians[name].rssMb.toFixed(0)} MB`
  const against = (name) => againstToolgate(medians.toolgate.readyMs, medians[name].readyMs)
  return [
    `Start-up: load and make ${toolCount} tools ready, then the process' memory (median of ${times} fresh processes)`,
    `  plain JS ${of('js')}; ${against('js')}`,
    `  plain JS without checking the schemas again ${of('js-unchecked')}; ${against('js-unchecked')}`,
    `  Toolgate ${of('toolgate')}`,
  ]
}

export function buildLines({ toolCount, times, medians: { ajv, toolgate } }) {
  return [
    `Build: ${toolCount} tool folders from cold (median of ${times} fresh processes)`,
    `  Ajv, compiling the schemas alone ${ajv.builtMs.toFixed(0)} ms; ${againstToolgate(toolgate.builtMs, ajv.builtMs)}`,
    `  Toolgate, the whole build ${toolgate.builtMs.toFixed(0)} ms`,
  ]
}

function againstToolgate(toolgateMs, otherMs) {
  const ratio = toolgateMs / otherMs
  return `ratio ${ratio.toFixed(3)}; ${verdict(ratio)}`
}

export function legendLines(rows) {
  const losses = rows.filter(({ ratio }) => ratio.median > 1 + EVEN).length
  return [
    'µs per call, medians; ratio = Toolgate / plain JS, median of paired rounds: below 1 Toolgate is faster.',
    'floor = JSON.parse + handler + JSON.stringify, no gateway at all.',
    `Toolgate is slower in ${losses} of ${rows.length} cases.`,
  ]
}

function factor(ratio) {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)}x`
}

function microseconds(us) {
  if (us === undefined) return '–'
  return us.toFixed(us < 100 ? 2 : 0)
}
