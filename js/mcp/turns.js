'use strict'

// Derives turns for MCP, which has none. The gate counts budgets per turn: with one turn for all calls, the first calls
// would use up the budget; with a turn per call there would be no budget and no loop detection. A pause marks the
// boundary of a turn: a model calls again within seconds of an answer, but a user has to read the answer first.

/** Longer than most models need between two calls, shorter than a user needs to read and write. */
const DEFAULT_GAP_MS = 10_000

/** Errors that last until the next turn: retries must not delay that turn. */
const REFUSED_THIS_TURN = new Set(['BUDGET_EXCEEDED', 'LOOP_DETECTED'])

class Turns {
  #gapMs
  #now
  #inFlight = 0
  /** The end of the last call without such an error; null before the first. @type {number | null} */
  #quietSince = null
  /** @type {Promise<unknown> | null} */
  #begun = null

  /** @param {{ gapMs?: number, now?: () => number }} [options] `now`: a monotonic clock in milliseconds */
  constructor({ gapMs = DEFAULT_GAP_MS, now = () => performance.now() } = {}) {
    this.#gapMs = gapMs
    this.#now = now
  }

  /**
   * Enters a call. It begins a turn if no other call is in flight and the last one ended `gapMs` ago. Pair with
   * `leave`.
   * @param {{ beginTurn(): Promise<unknown> }} session
   * @returns {Promise<unknown>} resolves when the call's turn has begun
   */
  enter(session) {
    const isQuiet = this.#inFlight === 0 && (this.#quietSince === null || this.#now() - this.#quietSince >= this.#gapMs)
    this.#inFlight += 1
    if (isQuiet) this.#begun = session.beginTurn()
    // The first call always begins a turn.
    return /** @type {Promise<unknown>} */ (this.#begun)
  }

  /** @param {import('toolgate').ToolResponse} [response] the call's answer; absent if its turn did not begin */
  leave(response) {
    this.#inFlight -= 1
    if (response === undefined) this.#quietSince = null
    else if (response.ok || !REFUSED_THIS_TURN.has(response.error.type)) this.#quietSince = this.#now()
  }
}

module.exports = { Turns }
