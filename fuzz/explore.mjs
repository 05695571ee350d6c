// Runs the steps of a target as properties of fast-check. The seed of a step is the run's seed and the step's number, so
// that a step runs again alone. A disagreement shrinks as long as the same one is found.
import fc from 'fast-check'

import { explanationOf } from './explanations.mjs'
import { randoms } from './random.cjs'
import { Report } from './report.mjs'

/** Bounds of the search for a smaller case. */
const MAX_TRIALS = 2000
const MAX_SHRINK_MS = 30_000

/**
 * @typedef {import('./targets/index.mjs').Target} Target
 * @typedef {import('./report.mjs').Disagreement} Disagreement
 */

/** @param {Target} target @param {{ seed: number, steps: number, duration: number }} limits `duration` in milliseconds */
export async function explore(target, { seed, steps, duration }) {
  const report = new Report(target.name)
  const end = performance.now() + duration
  const context = await target.open?.()
  try {
    for (let taken = 0; taken < steps && performance.now() < end; taken += 1) {
      await exploreStep(target, context, report, seed + taken)
      report.count('steps')
    }
  } finally {
    await target.close?.(context)
  }
  return report
}

/** @param {Target} target @param {any} context @param {Report} report @param {number} seed */
async function exploreStep(target, context, report, seed) {
  /** @type {Set<string>} */
  const known = new Set()
  const count = (/** @type {string} */ what) => known.size === 0 && report.count(what)
  for (;;) {
    const step = (/** @type {any} */ random, /** @type {boolean} */ isFirst) =>
      target.step(random, isFirst ? count : () => {}, context)
    const found = await smallestOf(step, seed, {
      isNew: disagreement => !known.has(kindOf(disagreement)),
      isSmall: disagreement => report.isFull || explanationOf(target.name, disagreement)?.isCertain === true,
    })
    if (found === null) return
    known.add(kindOf(found))
    report.add(found, seed)
  }
}

/**
 * The first new disagreement of a step, made smaller; null if it has none.
 * @param {(random: import('./random.cjs').Random, isFirst: boolean) => Promise<Disagreement[]>} step
 * @param {number} seed
 * @param {{ isNew: (found: Disagreement) => boolean, isSmall: (found: Disagreement) => boolean }} ask
 */
export async function smallestOf(step, seed, { isNew, isSmall }) {
  /** @type {Disagreement | null} */
  let smallest = null
  let trials = 0
  let end = Infinity
  const property = fc.asyncProperty(randoms(), async random => {
    if (smallest === null) {
      smallest = (await step(random, true)).find(isNew) ?? null
      end = performance.now() + MAX_SHRINK_MS
      if (smallest !== null && isSmall(smallest)) end = 0
      return smallest === null
    }
    if ((trials += 1) > MAX_TRIALS || performance.now() > end) return true
    const kind = kindOf(smallest)
    const again = (await step(random, false).catch(() => [])).find(found => kindOf(found) === kind)
    smallest = again ?? smallest
    return again === undefined
  })
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: 1, unbiased: true })
  if (failed && smallest === null) throw errorInstance
  return smallest
}

/** What is the same in two cases of one fault: what each side says, without its numbers. @param {Disagreement} found */
const kindOf = ({ detail }) => JSON.stringify(detail).replace(/\d+/g, '')
