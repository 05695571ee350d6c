// What the user has granted for later calls, as the client shows it.

export class ShownGrants {
  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {(frame: import('../voice-types.js').ServerFrame) => void} options.sendFrame to the client
   * @param {import('../voice-types.js').Guarded} options.guarded runs `act` and handles its errors
   */
  constructor({ session, sendFrame, guarded }) {
    this.session = session
    this.sendFrame = sendFrame
    this.guarded = guarded
  }

  async show() {
    this.sendFrame({ type: 'grants', grants: await this.session.grants() })
  }

  /** @param {string} id of a grant that its user ends */
  async revoke(id) {
    await this.session.revoke(id, { via: 'page' })
    await this.show()
  }

  /** A call has run by a grant. */
  used() {
    this.guarded(() => this.show())
  }
}
