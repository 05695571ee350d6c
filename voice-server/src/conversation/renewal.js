// The renewal of the provider's connection before the service closes it. An open microphone does not hold it off: what
// counts is that neither side speaks and that the handle includes all that was said.

const CHECK_MS = 200
/** Time for the renewal itself: then it begins whatever goes on. The user's speech is kept meanwhile. */
const MARGIN_MS = 3000

export class Renewal {
  /** When the service closes the connection; null: not announced. @type {number | null} */
  #endsAt = null
  /** Nothing was said since the service gave the handle. */
  #isHandleCurrent = false
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} options
   * @param {() => void} options.renew
   * @param {() => boolean} options.isAtRest whether neither side speaks and no call runs
   * @param {() => number} [options.now]
   * @param {(look: () => void, ms: number) => NodeJS.Timeout} [options.every]
   */
  constructor({ renew, isAtRest, now = performance.now.bind(performance), every = setInterval }) {
    this.renew = renew
    this.isAtRest = isAtRest
    this.now = now
    this.every = every
  }

  /** @param {import('../providers/provider-link.js').ParsedMessage} heard */
  heard({ resumable, goAwayMs, modelSpoke, userStopped }) {
    if (modelSpoke || userStopped) this.#isHandleCurrent = false
    if (resumable) this.#isHandleCurrent = true
    if (goAwayMs !== null) this.#announced(goAwayMs)
    this.#look()
  }

  /** The connection is a new one, or there is none any more. */
  stop() {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#endsAt = null
  }

  /** @param {number} leftMs */
  #announced(leftMs) {
    this.#endsAt = this.now() + leftMs - Math.min(MARGIN_MS, leftMs / 2)
    this.#timer ??= this.every(() => this.#look(), CHECK_MS)
  }

  #look() {
    if (this.#endsAt === null) return
    const isDue = (this.#isHandleCurrent && this.isAtRest()) || this.now() >= this.#endsAt
    if (!isDue) return
    this.stop()
    this.renew()
  }
}
