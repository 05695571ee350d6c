// Ends sessions that stream to a paid provider without a user: after a time without speech and without a call, and after the
// longest duration.

/** How often the limits are looked at, as a part of the shorter one. */
const CHECKS = 20
/** The most time between two looks. */
const MAX_CHECK_MS = 10_000

/** @typedef {'idle' | 'duration'} LimitKind */

export class SessionLimits {
  #beganAt
  #activeAt
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} options
   * @param {{ idleMs: number, durationMs: number }} options.limits 0: none
   * @param {() => boolean} options.isBusy whether a call runs
   * @param {(kind: LimitKind) => void} options.onOver
   * @param {() => number} [options.now]
   * @param {(look: () => void, ms: number) => NodeJS.Timeout} [options.every]
   */
  constructor({ limits, isBusy, onOver, now = performance.now.bind(performance), every = setInterval }) {
    this.idleMs = limits.idleMs || Infinity
    this.durationMs = limits.durationMs || Infinity
    this.isBusy = isBusy
    this.onOver = onOver
    this.now = now
    this.#beganAt = this.#activeAt = now()
    const shorter = Math.min(this.idleMs, this.durationMs)
    if (shorter !== Infinity)
      this.#timer = every(() => this.#look(), Math.max(1, Math.min(MAX_CHECK_MS, shorter / CHECKS)))
  }

  /** The user said, typed or pressed something. */
  active() {
    this.#activeAt = this.now()
  }

  stop() {
    clearInterval(this.#timer)
  }

  #look() {
    if (this.isBusy()) this.active()
    const kind = this.#overdue()
    if (kind === null) return
    this.stop()
    this.onOver(kind)
  }

  /** @returns {LimitKind | null} */
  #overdue() {
    if (this.now() - this.#beganAt >= this.durationMs) return 'duration'
    return this.now() - this.#activeAt >= this.idleMs ? 'idle' : null
  }
}
