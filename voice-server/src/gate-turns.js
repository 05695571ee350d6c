// The turns of the gate's session: calls wait until theirs has begun.

export class GateTurns {
  /** @type {Promise<unknown>} */
  #begun = Promise.resolve()

  /** @param {import('toolgate').Session} session */
  constructor(session) {
    this.session = session
  }

  /** Resolves once the last turn has begun, or could not begin. */
  get begun() {
    return this.#begun
  }

  /** @param {string} turnId */
  begin(turnId) {
    const begun = this.session.beginTurn(turnId)
    // The caller handles a failure.
    this.#begun = begun.catch(() => {})
    return begun
  }
}
