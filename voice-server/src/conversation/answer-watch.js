// The answers that the model owes: notices that the provider is silent, asks for a failed answer again, and reports one that is
// empty, was cut or cannot be had.

/** How often silence is looked for, as a part of the time that it may last. */
const CHECKS = 5
/** How much longer a backend may work in silence: a model that thinks sends nothing. */
const BACKEND_PATIENCE = 4
/** How often a failed answer is asked for again. */
const MAX_RETRIES = 3

export class AnswerWatch {
  /** An answer was asked for and the model has not begun it. */
  #isAwaited = false
  #lastModelSpeechAt = -Infinity
  #lastFrameAt
  #retries = 0
  /** @type {NodeJS.Timeout | undefined} */
  #retryTimer
  /** @type {NodeJS.Timeout} */
  #timer

  /**
   * @param {object} options
   * @param {import('../connection/server-context.js').ServerContext} options.context
   * @param {string} options.connectionId
   * @param {import('../voice-types.js').VoiceLink} options.link
   * @param {() => boolean} options.isModelDue whether the model is in the middle of a turn
   * @param {() => boolean} options.isBusy whether a call runs: the model waits for it
   * @param {(kind: 'reconnecting') => void} options.say lets the user hear what is going on
   * @param {(reason: 'empty' | 'cut' | 'failed') => void} options.onIncomplete
   * @param {() => void} options.onGivenUp a failed answer is not asked for again
   * @param {() => number} [options.now]
   */
  constructor({ now = performance.now.bind(performance), ...options }) {
    this.options = options
    this.now = now
    this.#lastFrameAt = now()
    this.#timer = setInterval(() => this.#check(), options.context.limits.answerSilenceMs / CHECKS)
  }

  frameReceived() {
    this.#lastFrameAt = this.now()
  }

  /** The model was asked by text. */
  asked() {
    this.#isAwaited = true
  }

  /** The user said something. What they said before the model's last words has its answer. */
  userSpoke() {
    if (this.options.link.lastSpeechAt > this.#lastModelSpeechAt) this.#isAwaited = true
  }

  modelSpoke() {
    this.#isAwaited = false
    this.#retries = 0
    this.#lastModelSpeechAt = this.now()
  }

  /** The user broke in: nothing of that turn is owed any more. */
  interrupted() {
    this.#isAwaited = false
    clearTimeout(this.#retryTimer)
  }

  /** @param {boolean} isTextNext the answer to a text that was typed before the turn ended follows */
  turnCompleted(isTextNext) {
    if (this.#isAwaited && !isTextNext) this.options.onIncomplete('empty')
    this.#isAwaited = isTextNext
  }

  /**
   * Asks for a failed answer again, later each time; one that was cut, or fails again and again, is reported.
   * @param {{ why: string, isRetried: boolean }} problem
   */
  failed({ why, isRetried }) {
    const { context, connectionId, link, onIncomplete, onGivenUp } = this.options
    const isAgain = isRetried && this.#retries < MAX_RETRIES
    const fields = { connection: connectionId, why, retried: isAgain }
    context.logger.warn('an answer of the provider failed or was cut', fields)
    this.#isAwaited = false
    if (isAgain) {
      context.counters.answerRetries += 1
      clearTimeout(this.#retryTimer)
      const delay = context.limits.answerRetryMs * 2 ** this.#retries
      this.#retryTimer = setTimeout(() => link.requestAnswerAgain(), delay)
      this.#retries += 1
      return
    }
    this.#retries = 0
    onIncomplete(isRetried ? 'failed' : 'cut')
    if (isRetried) onGivenUp()
  }

  stop() {
    clearInterval(this.#timer)
    clearTimeout(this.#retryTimer)
  }

  #check() {
    const { context, connectionId, link, isModelDue, isBusy, say } = this.options
    const isDue = (this.#isAwaited || isModelDue()) && !isBusy() && link.connection !== null
    if (!isDue) this.#lastFrameAt = this.now()
    const mostMs = context.limits.answerSilenceMs * (link.isBackendWorking ? BACKEND_PATIENCE : 1)
    if (this.now() - this.#lastFrameAt < mostMs) return
    this.#lastFrameAt = this.now()
    context.counters.providerSilences += 1
    context.logger.warn('the provider was silent while an answer was due', { connection: connectionId })
    say('reconnecting')
    link.restart()
  }
}
