'use strict'

// Turns of a client that knows none. MCP has calls and no conversation, and the gate's budgets are counted per turn: with one
// turn for all, the first calls would use up what every later one needs; with a turn per call there would be no budget and
// no guard against loops. What a client shows of a turn is its pause: a model calls again within seconds of an answer, and
// a user has to read one first.

/** Longer than a model mostly thinks between two calls, shorter than a user reads and writes. */
const DEFAULT_GAP_MS = 10_000

/** What is refused until the next turn: trying again must not put that turn off. */
const REFUSED_THIS_TURN = new Set(['BUDGET_EXCEEDED', 'LOOP_DETECTED'])

class Turns {
  #gapMs
  #now
  #inFlight = 0
  /** When the last call ended that was not refused; null before the first. */
  #quietSince = null
  #begun = null

  /** @param {{ gapMs?: number, now?: () => number }} [options] `now` in milliseconds, never going back */
  constructor({ gapMs = DEFAULT_GAP_MS, now = () => performance.now() } = {}) {
    this.#gapMs = gapMs
    this.#now = now
  }

  /**
   * A call arrives: it begins a turn where no other is under way and none has been for the gap. Each `enter` has its `leave`.
   * @param {{ beginTurn(): Promise<unknown> }} session
   * @returns {Promise<unknown>} the call's turn has begun
   */
  enter(session) {
    const isQuiet = this.#inFlight === 0 && (this.#quietSince === null || this.#now() - this.#quietSince >= this.#gapMs)
    this.#inFlight += 1
    if (isQuiet) this.#begun = session.beginTurn()
    return this.#begun
  }

  /** @param {import('toolgate').ToolResponse} [response] what came of the call; nothing where its turn did not begin */
  leave(response) {
    this.#inFlight -= 1
    if (response === undefined) this.#quietSince = null
    else if (!REFUSED_THIS_TURN.has(response.error?.type)) this.#quietSince = this.#now()
  }
}

module.exports = { Turns }
