// The cases: what a block of each does. A block opens its own sessions; in a session, turns of a few calls follow each
// other, as they do behind a model, so that neither side's memory of a turn or a session grows beyond what it is made for.
import { handlers, largeResultHandlers, providerId, sizes, waitingHandlers } from './workload.mjs'

const IN_FLIGHT = 64
/** Repeats of each call in a replay case: one more, and the loop guard would refuse. */
const REPEATS = 3

/** Sessions per block, turns per session and calls per turn, so that a block takes some tens of milliseconds. */
const EXTENT = { small: [8, 40, 8], medium: [2, 40, 8], accents: [2, 40, 8], large: [1, 2, 8], huge: [1, 1, 1] }

/**
 * @typedef {object} Turn
 * @property {object[]} [before] calls made before the clock starts
 * @property {object[]} calls the calls that are timed
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {string} group under which tables and plots show it
 * @property {string} title
 * @property {string[]} contenders by name
 * @property {Record<string, Function>} handlers
 * @property {'copied' | 'in place'} objectArgs how the JavaScript gateway takes arguments that are objects
 * @property {string} expected how every timed answer begins
 * @property {boolean} isReplay
 * @property {boolean} endsFirst whether each session is ended before its calls
 * @property {{ mode?: string, policy?: object }} [session]
 * @property {(session: object, calls: object[]) => Promise<string[]>} perform
 * @property {(from: number) => Iterable<Turn[]>} sessions the turns of each session of a block, numbered from `from`
 * @property {number} numbers how many numbers a block uses
 */

/** @returns {Case} */
export function makeCase(
  name,
  group,
  title,
  { size = 'small', extent = EXTENT[size], makeTurn, numbersPerTurn = extent[2], ...rest },
) {
  const [sessionCount, turnCount] = extent
  return {
    name,
    group,
    title,
    contenders: ['naive', 'js', 'toolgate', 'floor'],
    handlers,
    objectArgs: 'copied',
    expected: '{"ok":true',
    isReplay: false,
    endsFirst: false,
    perform: oneAfterTheOther,
    numbers: sessionCount * turnCount * numbersPerTurn,
    *sessions(from) {
      for (let session = 0; session < sessionCount; session++) {
        const first = from + session * turnCount * numbersPerTurn
        yield Array.from({ length: turnCount }, (_, turn) => makeTurn(first + turn * numbersPerTurn, extent[2]))
      }
    },
    ...rest,
  }
}

export const GATEWAYS = ['naive', 'js', 'toolgate']

async function oneAfterTheOther(session, calls) {
  const answers = []
  for (const call of calls) {
    const answer = await session.executeText(call)
    // Reading a character makes one flat string of what was joined from parts, as writing it to a socket would.
    answer.charCodeAt(6)
    answers.push(answer)
  }
  return answers
}

async function allAtOnce(session, calls) {
  const answers = await Promise.all(calls.map(call => session.executeText(call)))
  for (const answer of answers) answer.charCodeAt(6)
  return answers
}

async function beginTurns(session, calls) {
  for (const { id } of calls) await session.beginTurn(id)
  return []
}

/** @returns {(n: number) => object} calls of one kind */
export function callMaker({
  size = 'small',
  form = 'text',
  key = 'id',
  args = sizes[size].args,
  tool = sizes[size].tool,
}) {
  return n => ({
    id: key === 'id' ? providerId(n) : null,
    name: tool,
    args: FORMS[form](args(n)),
  })
}

/** How arguments come: as a provider's client gives them, as they come from a socket, or parsed by a framework. */
export const FORMS = {
  text: args => flat(JSON.stringify(args)),
  buffer: args => Buffer.from(JSON.stringify(args)),
  object: args => args,
}

/** As one string, like the text of a frame: `stringify` returns a long text in parts, which are joined at its first use. */
function flat(text) {
  text.charCodeAt(0)
  return text
}

export function series(make, from, count) {
  return Array.from({ length: count }, (_, place) => make(from + place))
}

export const SIZE_TITLES = { small: '100 B', medium: '2 KB', accents: '2 KB, not ASCII', large: '200 KB', huge: '2 MB' }
const KEY_TITLES = { id: 'provider id', hash: 'content hash' }

function runCase(size, form, key, objectArgs = 'copied') {
  const make = callMaker({ size, form, key })
  const inPlace = objectArgs === 'in place'
  return makeCase(
    `${size}-${form}-${key}${inPlace ? '-in-place' : ''}`,
    inPlace ? 'other' : 'arguments',
    `${SIZE_TITLES[size]}, ${form}, ${KEY_TITLES[key]}${inPlace ? ", JS fills the caller's object" : ''}`,
    { size, objectArgs, makeTurn: (from, count) => ({ calls: series(make, from, count) }) },
  )
}

function argsCase(kind, title, size) {
  const make = callMaker({ size, args: sizes[size][kind] })
  return makeCase(`${kind}-${size}`, 'arguments', `${title}, ${SIZE_TITLES[size]}, text`, {
    size,
    makeTurn: (from, count) => ({ calls: series(make, from, count) }),
  })
}

function replayCase(size, key) {
  const make = callMaker({ size, key })
  const makeTurn = (from, count) => ({
    before: series(make, from, count),
    // Made anew each time: a reconnect brings equal text, not the same string.
    calls: Array.from({ length: REPEATS }, () => series(make, from, count)).flat(),
  })
  const title = `replay, ${SIZE_TITLES[size]}, text, ${KEY_TITLES[key]}`
  return makeCase(`replay-${size}-${key}`, 'replay', title, { size, makeTurn, contenders: GATEWAYS, isReplay: true })
}

function inFlightCase() {
  const make = callMaker({ size: 'small' })
  return makeCase('in-flight', 'other', `${IN_FLIGHT} in flight, 100 B, text, provider id`, {
    extent: [8, 5, IN_FLIGHT],
    makeTurn: (from, count) => ({ calls: series(make, from, count) }),
    handlers: waitingHandlers,
    perform: allAtOnce,
  })
}

function largeResultCase() {
  const make = callMaker({ size: 'small' })
  return makeCase('result-large', 'other', 'result of 200 KB, 100 B, text, provider id', {
    extent: [2, 4, 8],
    makeTurn: (from, count) => ({ calls: series(make, from, count) }),
    handlers: largeResultHandlers,
  })
}

function turnCase() {
  const makeTurn = (from, count) => ({ calls: series(n => ({ id: `turn-${n}` }), from, count) })
  return makeCase('turn', 'other', 'beginTurn', {
    extent: [8, 40, 20],
    makeTurn,
    contenders: GATEWAYS,
    perform: beginTurns,
  })
}

/** @yields {Case} calls that run, and that have run before */
export function* runningCases() {
  for (const size of ['small', 'medium', 'large', 'huge']) {
    for (const form of Object.keys(FORMS)) {
      for (const key of ['id', 'hash']) yield runCase(size, form, key)
    }
  }
  yield runCase('accents', 'text', 'id')
  yield argsCase('full', 'nothing left out', 'small')
  for (const size of ['small', 'medium']) yield argsCase('defaulted', 'defaults left out', size)
  yield replayCase('small', 'id')
  yield replayCase('small', 'hash')
  yield replayCase('large', 'id')
  yield inFlightCase()
  yield largeResultCase()
  for (const size of ['small', 'medium', 'large']) yield runCase(size, 'object', 'id', 'in place')
  yield turnCase()
}
