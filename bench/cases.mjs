// The cases: what a block of each does. A block opens its own sessions; in a session, turns of a few calls follow each
// other, as they do behind a model, so that neither side's memory of a turn or a session grows beyond what it is made for.
import { handlers, providerId, sizes, waitingHandlers } from './workload.mjs'

const CALLS_PER_TURN = 8
const IN_FLIGHT = 64
/** Repeats of each call in a replay case: one more, and the loop guard would refuse. */
const REPEATS = 3

/** Sessions per block and turns per session, so that a block takes some tens of milliseconds. */
const EXTENT = { small: [8, 40], medium: [2, 40], accents: [2, 40], large: [1, 2] }

/**
 * @typedef {object} Turn
 * @property {object[]} [before] calls made before the clock starts
 * @property {object[]} calls the calls that are timed
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {string} title
 * @property {Record<string, Function>} handlers
 * @property {'copied' | 'in place'} objectArgs how the JavaScript gateway takes arguments that are objects
 * @property {boolean} hasFloor
 * @property {'t' | 'f'} expected the seventh character of every timed answer: of `true` or of `false` after `{"ok":`
 * @property {boolean} isReplay
 * @property {(session: object, calls: object[]) => Promise<string[]>} perform
 * @property {(from: number) => Iterable<Turn[]>} sessions the turns of each session of a block, numbered from `from`
 * @property {number} numbers how many numbers a block uses
 */

function makeCase(name, title, { size, makeTurn, numbersPerTurn, extent = EXTENT[size], ...rest }) {
  const [sessionCount, turnCount] = extent
  return {
    name,
    title,
    handlers,
    objectArgs: 'copied',
    hasFloor: true,
    expected: 't',
    isReplay: false,
    perform: oneAfterTheOther,
    numbers: sessionCount * turnCount * numbersPerTurn,
    * sessions(from) {
      for (let session = 0; session < sessionCount; session++) {
        const first = from + session * turnCount * numbersPerTurn
        yield Array.from({ length: turnCount }, (_, turn) => makeTurn(first + turn * numbersPerTurn))
      }
    },
    ...rest,
  }
}

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
  const answers = await Promise.all(calls.map((call) => session.executeText(call)))
  for (const answer of answers) answer.charCodeAt(6)
  return answers
}

async function beginTurns(session, calls) {
  for (const { id } of calls) await session.beginTurn(id)
  return []
}

function callMaker({ size, form = 'text', key = 'id', args = sizes[size].args }) {
  return (n) => ({
    id: key === 'id' ? providerId(n) : null,
    name: sizes[size].tool,
    args: form === 'text' ? JSON.stringify(args(n)) : args(n),
  })
}

function series(make, from, count) {
  return Array.from({ length: count }, (_, place) => make(from + place))
}

const SIZE_TITLES = { small: '100 B', medium: '2 KB', accents: '2 KB, not ASCII', large: '200 KB' }
const KEY_TITLES = { id: 'provider id', hash: 'content key' }

function runCase(size, form, key, objectArgs = 'copied') {
  const make = callMaker({ size, form, key })
  const inPlace = objectArgs === 'in place'
  return makeCase(
    `${size}-${form}-${key}${inPlace ? '-in-place' : ''}`,
    `${SIZE_TITLES[size]}, ${form}, ${KEY_TITLES[key]}${inPlace ? ', JS fills the caller\'s object' : ''}`,
    { size, objectArgs, numbersPerTurn: CALLS_PER_TURN, makeTurn: (from) => ({ calls: series(make, from, CALLS_PER_TURN) }) },
  )
}

function replayCase(size, key) {
  const make = callMaker({ size, key })
  const makeTurn = (from) => ({
    before: series(make, from, CALLS_PER_TURN),
    // Made anew each time: a reconnect brings equal text, not the same string.
    calls: Array.from({ length: REPEATS }, () => series(make, from, CALLS_PER_TURN)).flat(),
  })
  const title = `replay, ${SIZE_TITLES[size]}, text, ${KEY_TITLES[key]}`
  return makeCase(`replay-${size}-${key}`, title, { size, makeTurn, numbersPerTurn: CALLS_PER_TURN, hasFloor: false, isReplay: true })
}

function refusalCase(size) {
  const make = callMaker({ size, args: sizes[size].bad })
  const makeTurn = (from) => ({ calls: series(make, from, CALLS_PER_TURN) })
  const title = `refusal (VALIDATION), ${SIZE_TITLES[size]}, text`
  return makeCase(`refusal-${size}`, title, { size, makeTurn, numbersPerTurn: CALLS_PER_TURN, hasFloor: false, expected: 'f' })
}

function inFlightCase() {
  const make = callMaker({ size: 'small' })
  const makeTurn = (from) => ({ calls: series(make, from, IN_FLIGHT) })
  return makeCase('in-flight', `${IN_FLIGHT} in flight, 100 B, text, provider id`, {
    size: 'small', extent: [8, 5], makeTurn, numbersPerTurn: IN_FLIGHT, handlers: waitingHandlers, perform: allAtOnce,
  })
}

function turnCase() {
  const makeTurn = (from) => ({ calls: series((n) => ({ id: `turn-${n}` }), from, 20) })
  return makeCase('turn', 'beginTurn', { size: 'small', makeTurn, numbersPerTurn: 20, hasFloor: false, perform: beginTurns })
}

function* allCases() {
  for (const size of ['small', 'medium', 'large']) {
    for (const form of ['text', 'object']) {
      for (const key of ['id', 'hash']) yield runCase(size, form, key)
    }
    yield runCase(size, 'object', 'id', 'in place')
  }
  yield runCase('accents', 'text', 'id')
  yield replayCase('small', 'id')
  yield replayCase('small', 'hash')
  yield replayCase('large', 'id')
  yield refusalCase('small')
  yield refusalCase('medium')
  yield inFlightCase()
  yield turnCase()
}

/** @type {Case[]} */
export const cases = [...allCases()]
