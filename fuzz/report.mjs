// Counts what a target did, and keeps its disagreements: explained ones by their explanation, others minimised.
import { explanationOf } from './explanations.mjs'
import { minimise } from './minimise.mjs'

/** Unexplained disagreements of a target; more are counted only. */
const KEPT = 20

export class Report {
  /** @type {Record<string, number>} */
  counts = {}
  /** By the name of the explanation. @type {Record<string, number>} */
  explained = {}
  /** @type {{ case: unknown, detail: unknown }[]} */
  unexplained = []
  unexplainedCount = 0

  /** @param {string} target its name */
  constructor(target) {
    this.target = target
  }

  /** @param {string} what */
  count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  /**
   * @param {any} found the case as JSON
   * @param {(candidate: any) => boolean | Promise<boolean>} fails whether a candidate shows the same disagreement
   * @param {any} detail what each side says
   */
  async disagreement(found, fails, detail) {
    const early = explanationOf(this.target, found, detail)
    if (early?.isCertain) return this.#explain(early.name)
    if (this.unexplained.length >= KEPT) return void (this.unexplainedCount += 1)
    const smallest = await minimise(found, async candidate => {
      try {
        return await fails(candidate)
      } catch {
        return false
      }
    })
    const explanation = explanationOf(this.target, smallest, detail)
    if (explanation !== null) return this.#explain(explanation.name)
    this.unexplainedCount += 1
    if (this.unexplained.some(known => JSON.stringify(known.case) === JSON.stringify(smallest))) return
    this.unexplained.push({ case: smallest, detail })
  }

  /** @param {string} name */
  #explain(name) {
    this.explained[name] = (this.explained[name] ?? 0) + 1
  }
}
