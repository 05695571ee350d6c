// Counts what a target did, and keeps its disagreements: explained ones by their explanation.
import { explanationOf } from './explanations.mjs'

/** Unexplained disagreements of a target; more are counted only. */
const KEPT = 20

/** @typedef {{ case: any, detail: any }} Disagreement the case as JSON, and what each side says */

export class Report {
  /** @type {Record<string, number>} */
  counts = {}
  /** By the name of the explanation. @type {Record<string, number>} */
  explained = {}
  /** @type {(Disagreement & { again: string })[]} */
  unexplained = []
  unexplainedCount = 0

  /** @param {string} target its name */
  constructor(target) {
    this.target = target
  }

  get isFull() {
    return this.unexplained.length >= KEPT
  }

  /** @param {string} what */
  count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  /** @param {Disagreement} found @param {number} seed of its step */
  add(found, seed) {
    const explanation = explanationOf(this.target, found)
    if (explanation !== null) {
      this.explained[explanation.name] = (this.explained[explanation.name] ?? 0) + 1
      return
    }
    this.unexplainedCount += 1
    if (this.isFull || this.unexplained.some(known => JSON.stringify(known.case) === JSON.stringify(found.case))) return
    this.unexplained.push({ ...found, again: `npm run fuzz -- --target ${this.target} --seed ${seed} --steps 1` })
  }
}
