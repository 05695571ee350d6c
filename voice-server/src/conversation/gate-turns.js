// The turns of the gate's session: calls wait until theirs has begun.
import { randomUUID } from 'node:crypto'

export class GateTurns {
  /** @type {Promise<unknown>} */
  #begun = Promise.resolve()

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {(message: string) => void} options.onPending what a tool has left for the turn that speech begins
   * @param {import('../voice-types.js').Guarded} options.guarded
   */
  constructor(options) {
    this.options = options
  }

  /** Resolves once the last turn has begun, or could not begin. */
  get begun() {
    return this.#begun
  }

  /** @param {string} turnId */
  begin(turnId) {
    const begun = this.options.session.beginTurn(turnId)
    // The caller handles a failure.
    this.#begun = begun.catch(() => {})
    return begun
  }

  /** Begins a turn of speech. */
  spoken() {
    this.options.guarded(async () => {
      const { pendingMessage } = await this.begin(`audio:${randomUUID()}`)
      if (pendingMessage !== null) this.options.onPending(pendingMessage)
    })
  }
}
