// Interleaved rounds: in every round each contender does the same block of calls, in turns first and last, so that what
// the machine does meanwhile falls on all of them. What is compared is the ratio within a round.
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'

/** Rounds measured even where the time is up. */
const FEWEST_ROUNDS = 5

/**
 * @param {import('./cases.mjs').Case} testCase
 * @param {import('./contenders.mjs').Contender[]} contenders
 * @param {{ budgetMs: number }} options how long to go on; a fifth of it is for warming up
 * @returns {Promise<Record<string, { us: number[], busyUs: number[] }>>} microseconds per call of each round, by contender:
 *   from start to end, and of these with the JavaScript thread at work
 */
export async function measure(testCase, contenders, { budgetMs }) {
  const rounds = Object.fromEntries(contenders.map(({ name }) => [name, { us: [], busyUs: [] }]))
  const started = performance.now()
  const spent = () => performance.now() - started
  let from = 1
  for (let round = 0, measured = 0; measured < FEWEST_ROUNDS || spent() < budgetMs; round++) {
    const isWarm = round >= 2 && spent() > budgetMs / 5
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const { us, busyUs } = await block(testCase, contender, from)
      if (!isWarm) continue
      rounds[contender.name].us.push(us)
      rounds[contender.name].busyUs.push(busyUs)
    }
    if (isWarm) measured += 1
    from += testCase.numbers
  }
  return rounds
}

async function block(testCase, contender, from) {
  const clock = new Stopwatch()
  // The young generation starts empty: what another block left behind is not this one's to clear up. A full collection
  // would also throw out compiled code, and make every block pay for warming up again (a small call: 30 µs, not 8).
  globalThis.gc?.({ type: 'minor' })
  await nextTurnOfTheLoop()
  for (const turns of testCase.sessions(from)) {
    const session = await contender.open(testCase.session)
    for (const { before = [], calls } of turns) {
      await session.beginTurn?.()
      for (const call of before) await session.executeText(call)
      if (testCase.endsFirst) await session.end?.()
      clock.start()
      const answers = await testCase.perform(session, calls)
      clock.stop(calls.length)
      check(testCase, contender, answers)
    }
    if (!testCase.endsFirst) await session.end?.()
  }
  return clock.perCall()
}

/** A benchmark of wrong answers would be worth nothing. */
function check(testCase, contender, answers) {
  const isRight = answer =>
    answer.startsWith(testCase.expected) && (!testCase.isReplay || answer.includes('"_idempotent_cache_hit":true'))
  const wrong = answers.find(answer => !isRight(answer))
  if (wrong !== undefined)
    throw new Error(`${testCase.name}: ${contender.name} gave an unexpected answer: ${wrong.slice(0, 500)}`)
}

class Stopwatch {
  #calls = 0
  #elapsedMs = 0
  #idleMs = 0
  #startedAt = 0
  #idleAtStart = 0

  start() {
    this.#idleAtStart = performance.eventLoopUtilization().idle
    this.#startedAt = performance.now()
  }

  stop(calls) {
    this.#elapsedMs += performance.now() - this.#startedAt
    this.#idleMs += performance.eventLoopUtilization().idle - this.#idleAtStart
    this.#calls += calls
  }

  perCall() {
    const us = ms => (ms * 1000) / this.#calls
    return { us: us(this.#elapsedMs), busyUs: us(this.#elapsedMs - this.#idleMs) }
  }
}
