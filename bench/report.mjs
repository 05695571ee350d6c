// What the terminal shows: losses as plainly as wins.

/** Ratios this near to 1 are called even: two runs on one machine differ by more. */
const EVEN = 0.05

const COLUMNS = [
  ['case', row => row.title],
  ['floor', row => microseconds(row.us.floor)],
  ['naive JS', row => microseconds(row.us.naive)],
  ['fast JS', row => microseconds(row.us.js)],
  ['Toolgate', row => microseconds(row.us.toolgate)],
  ['/ naive', row => row.ratio.naive.median.toFixed(2)],
  ['/ fast', row => row.ratio.js.median.toFixed(2)],
  ['middle half', row => `${row.ratio.js.lower.toFixed(2)}–${row.ratio.js.upper.toFixed(2)}`],
  ['', row => standing(row)],
]

/** @param {number} ratio Toolgate's time over another's */
export function verdict(ratio) {
  if (ratio > 1 + EVEN) return `LOSS: ${factor(ratio)} the time`
  if (ratio < 1 - EVEN) return `${factor(1 / ratio)} as fast`
  return 'even'
}

/** How a row stands against both gateways in one word: a win is one against the faster. */
export function standing({ ratio }) {
  const [naive, fast] = [ratio.naive.median, ratio.js.median]
  if (naive > 1 + EVEN && fast > 1 + EVEN) return 'LOSS to both'
  if (fast > 1 + EVEN) return 'LOSS to the fast one'
  if (naive > 1 + EVEN) return 'LOSS to the naive one'
  return fast < 1 - EVEN ? 'win' : 'even'
}

export function machineLines(machine, peers) {
  const { addon } = machine
  const versions = peers
    ? Object.entries(peers)
        .map(([name, version]) => `${name} ${version}`)
        .join(', ')
    : null
  return [
    `${machine.cpu}, ${machine.cores} cores, load ${machine.load.toFixed(2)}; ${machine.platform}`,
    `Node ${machine.node}, toolgate ${machine.toolgate}${machine.commit ? ` (commit ${machine.commit})` : ''}, ajv ${machine.ajv}, ajv-formats ${machine.ajvFormats}`,
    ...(versions ? [versions] : []),
    `addon ${addon.id}, ${buildText(addon.build)}, ${megabytes(addon.bytes)}${addon.strippedBytes === null ? '' : `, ${megabytes(addon.strippedBytes)} stripped`}`,
    ...(machine.gc ? [] : ['without --expose-gc: blocks also pay for what others left behind']),
  ]
}

export function buildText(build) {
  if (build === 'development') return 'a DEVELOPMENT BUILD, which runs slower than a release'
  return build === 'release' ? 'a release build' : 'of an unknown build'
}

/** The header, then a line as each case is done: the run takes minutes. */
export function caseTable(titles) {
  const widths = COLUMNS.map(([heading], column) =>
    column === 0 ? Math.max(...titles.map(title => title.length)) : Math.max(heading.length, 8),
  )
  const isText = column => column === 0 || column === COLUMNS.length - 1
  const line = cells =>
    cells
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd()
  return {
    header: () => line(COLUMNS.map(([heading]) => heading)),
    row: row => line(COLUMNS.map(([, cell]) => cell(row))),
  }
}

/** Where Toolgate works on another thread, what counts for everything else in the process is the JavaScript thread. */
export function busyLines(rows) {
  const offloaded = rows.filter(({ us, busyUs }) => busyUs.toolgate < 0.9 * us.toolgate)
  if (offloaded.length === 0) return []
  const lines = offloaded.map(
    ({ title, busyUs, busyRatio }) =>
      `  ${title}: ${microseconds(busyUs.js)} fast JS, ${microseconds(busyUs.toolgate)} Toolgate, ratio ${busyRatio.js.median.toFixed(2)}; ${verdict(busyRatio.js.median)}`,
  )
  return ['Work done off the JavaScript thread; of each call, that thread is taken for (µs):', ...lines]
}

export function legendLines(rows) {
  const count = kind => rows.filter(({ ratio }) => ratio[kind].median > 1 + EVEN).length
  return [
    "µs per call, medians; / naive, / fast = Toolgate's time over theirs, medians of paired rounds: below 1 Toolgate is faster;",
    'middle half = of the ratio to the fast one. floor = JSON.parse + handler + JSON.stringify, no gateway at all.',
    `Of ${rows.length} cases Toolgate is slower than the naive gateway in ${count('naive')}, than the fast one in ${count('js')}.`,
  ]
}

export function peerLines({ us, times, wholeUs }) {
  const line = ([name, { median }]) => `  ${name} ${microseconds(us[name])} µs, ${median.toFixed(1)} times Toolgate's`
  return [
    `Peers, small arguments, same handler; Toolgate ${microseconds(us.toolgate)} µs, floor ${microseconds(us.floor)} µs`,
    ...Object.entries(times)
      .filter(([name]) => name !== 'js')
      .map(line),
    `  (a whole AI SDK run takes ${microseconds(wholeUs['ai-sdk'])} µs with the tool, ${microseconds(wholeUs['ai-sdk-without'])} µs without)`,
  ]
}

export function startupLines(sets) {
  return sets.flatMap(({ toolCount, times, medians }) => {
    const of = name => `${medians[name].readyMs.toFixed(0)} ms, ${medians[name].rssMb.toFixed(0)} MB`
    const against = name => againstToolgate(medians.toolgate.readyMs, medians[name].readyMs)
    return [
      `Start-up: load and make ${toolCount} tools ready, and the memory beyond a bare process (median of ${times} fresh processes)`,
      `  Ajv ${of('js')}; ${against('js')}`,
      `  Ajv without checking the schemas again ${of('js-unchecked')}; ${against('js-unchecked')}`,
      `  Toolgate ${of('toolgate')}`,
    ]
  })
}

export function eventLoopLines(eventLoop) {
  const ms = value => value.toFixed(value < 10 ? 1 : 0)
  const line = ([name, { maxMs, p50Ms, p95Ms, p99Ms, callMs }]) =>
    `  ${name.padEnd(8)} p50 ${ms(p50Ms)}, p95 ${ms(p95Ms)}, p99 ${ms(p99Ms)}, at most ${ms(maxMs)} ms${name === 'idle' ? '' : `; a call ${ms(callMs)} ms`}`
  const KEYS = { id: 'provider id', hash: 'content hash' }
  return Object.entries(eventLoop).flatMap(([key, contenders]) => [
    `Event loop: how late a heartbeat of 5 ms is while 2 MB calls flow, ${KEYS[key]}`,
    ...Object.entries(contenders).map(line),
  ])
}

export function regexLines({ pattern, characters, limitMs, ms }) {
  const of = value => (value === null ? `ended after ${limitMs / 1000} s` : `${value.toFixed(3)} ms`)
  return [`The pattern ${pattern} on ${characters} characters: Ajv ${of(ms.js)}; Toolgate ${of(ms.toolgate)}`]
}

export function instructionLines({ missing, counts }) {
  if (missing) return [`skipped: the core's instructions, because ${missing}`]
  const number = value => value.toLocaleString('en-US')
  const widest = Math.max(...counts.map(({ title }) => title.length))
  const line = ({ title, instructions, hashing }) =>
    `  ${title.padEnd(widest)} ${number(instructions).padStart(12)}, ${number(hashing)} of them SHA-256's`
  return ['Instructions of one call in the core, without Node, counted by callgrind', ...counts.map(line)]
}

export function buildLines({ toolCount, times, medians: { ajv, toolgate } }) {
  return [
    `Build: ${toolCount} tool folders from cold (median of ${times} fresh processes)`,
    `  Ajv, compiling the schemas alone ${ajv.builtMs.toFixed(0)} ms; ${againstToolgate(toolgate.builtMs, ajv.builtMs)}`,
    `  Toolgate, the whole build ${toolgate.builtMs.toFixed(0)} ms`,
  ]
}

/** @param {ReturnType<import('./goals.mjs').evaluateGoals>} evaluated */
export function goalLines(evaluated) {
  const measured = evaluated.filter(({ holds }) => holds !== null)
  const width = Math.max(...measured.map(({ title }) => title.length))
  const line = ({ title, goal, measured: found, holds }) =>
    `  ${title.padEnd(width)}  ${goal.padStart(9)}  ${found.padStart(9)}  ${holds ? 'holds' : 'MISSED'}`
  const rest = evaluated.length - measured.length
  return [
    `Goals: ${measured.filter(({ holds }) => holds).length} of ${measured.length} hold${rest === 0 ? '' : `; ${rest} not measured in this run`}`,
    ...measured.map(line),
  ]
}

function againstToolgate(toolgateMs, otherMs) {
  const ratio = toolgateMs / otherMs
  return `ratio ${ratio.toFixed(3)}; ${verdict(ratio)}`
}

function factor(ratio) {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)}x`
}

/** @param {import('./statistics.mjs').Latencies} latencies */
export function latencyText({ p50Ms, p95Ms, p99Ms }) {
  return `p50 ${milliseconds(p50Ms)}, p95 ${milliseconds(p95Ms)}, p99 ${milliseconds(p99Ms)}`
}

/** Three digits, however short it is. @param {number} ms */
export function milliseconds(ms) {
  return ms < 100 ? String(Number(ms.toPrecision(3))) : ms.toFixed(0)
}

export function microseconds(us) {
  if (us === undefined) return '–'
  return us.toFixed(us < 100 ? 2 : 0)
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
