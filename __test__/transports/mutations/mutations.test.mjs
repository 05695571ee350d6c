// Mutated conversations of each protocol against an oracle from its documents. `TOOLGATE_MUTATIONS=20000` runs as many, from
// `TOOLGATE_SEED`.
import { eventsOf, failure, minimal, PROTOCOLS } from './trial.mjs'
import { recordedMessages } from './recorded-events.mjs'

const COUNT = Number(process.env.TOOLGATE_MUTATIONS ?? 500)
const FIRST_SEED = Number(process.env.TOOLGATE_SEED ?? 1)

/** @param {string} protocol @param {number} seed @param {any} [make] */
function expectNoFault(protocol, seed, make) {
  const events = eventsOf(protocol, seed, make)
  if (failure(protocol, events) === null) return
  const smallest = minimal(protocol, events)
  const lines = smallest.map(({ frame, form }) => `${form}: ${JSON.stringify(frame)}`)
  throw new Error(`${protocol}, seed ${seed}: ${failure(protocol, smallest)}\n${lines.join('\n')}`)
}

const budget = Math.max(60_000, COUNT * 20)

test.each(Object.keys(PROTOCOLS))(
  '%s: each call of mutated messages is given once and whole, or named',
  protocol => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed += 1) expectNoFault(protocol, seed)
  },
  budget,
)

const recorded = Object.keys(recordedMessages)
if (recorded.length === 0) console.log('skipped: no recordings')

;(recorded.length > 0 ? test.each(recorded) : test.skip.each(['none']))(
  '%s: each call of mutated recordings is given once and whole, or named',
  protocol => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT / 5; seed += 1)
      expectNoFault(protocol, seed, recordedMessages[protocol])
  },
  budget,
)
