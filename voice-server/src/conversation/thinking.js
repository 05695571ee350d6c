// Lets the user know that the model waits for a tool: a frame from the start of a long wait to its end, and a line in the
// silence, repeated from time to time. Never over speech of the model or the user.

const CHECK_MS = 100

export class Thinking {
  /** Calls that run. @type {Set<string>} */
  #calls = new Set()
  #beganAt = 0
  #spokenAt = 0
  #lineAt = -Infinity
  #isShown = false
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} options
   * @param {number} options.afterMs of waiting and of silence, before the first line; 0: never
   * @param {number} options.repeatMs between two lines
   * @param {() => boolean} options.isQuiet whether neither the model nor the user speaks
   * @param {(isThinking: boolean) => void} options.show
   * @param {() => void} options.sayLine
   * @param {() => number} [options.now]
   * @param {(look: () => void, ms: number) => NodeJS.Timeout} [options.every]
   */
  constructor({ now = performance.now.bind(performance), every = setInterval, ...options }) {
    this.options = options
    this.now = now
    this.every = every
  }

  /** @param {string} id of a call that begins to run */
  begin(id) {
    if (this.options.afterMs === 0) return
    if (this.#calls.size === 0) this.#waitBegins()
    this.#calls.add(id)
  }

  /** @param {string} id */
  end(id) {
    if (this.#calls.delete(id) && this.#calls.size === 0) this.stop()
  }

  stop() {
    clearInterval(this.#timer)
    this.#calls.clear()
    if (this.#isShown) this.options.show(false)
    this.#isShown = false
  }

  #waitBegins() {
    this.#beganAt = this.#spokenAt = this.now()
    this.#lineAt = -Infinity
    this.#timer = this.every(() => this.#look(), CHECK_MS)
  }

  #look() {
    const { afterMs, repeatMs, isQuiet, show, sayLine } = this.options
    const now = this.now()
    if (!isQuiet()) this.#spokenAt = now
    if (!this.#isShown && now - this.#beganAt >= afterMs) {
      this.#isShown = true
      show(true)
    }
    if (now - this.#spokenAt < afterMs || now - this.#lineAt < repeatMs) return
    this.#lineAt = now
    sayLine()
  }
}
