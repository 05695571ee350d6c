// Runs the tool calls of the provider's messages through the gate and answers them. The gate decides; this only keeps
// the order: the calls of one message are admitted together and answered together.

export class CallRunner {
  #cancelled = new Set()
  /** Barge-ins so far: what was asked before the last one is answered differently. */
  #interruptions = 0
  #stopped = false

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {(toolId: string) => { sideEffects: string } | null} options.metadataOf
   * @param {(frame: object) => void} options.tell the client
   * @param {() => Promise<unknown>} options.turnBegun resolves when the user's turn is known to the gate
   * @param {() => void} options.onAnswered after each round of answers
   */
  constructor(options) {
    this.options = options
  }

  /** The provider no longer wants these answered. */
  cancel(callIds) {
    for (const id of callIds) {
      this.#cancelled.add(id)
      this.options.session.cancel(id, 'cancelled by the provider')
    }
  }

  interrupted() {
    this.#interruptions += 1
  }

  stop() {
    this.#stopped = true
  }

  /**
   * @param {import('toolgate').ToolCall[]} calls of one message
   * @param {import('toolgate').ToolTransport} transport that the calls came from: only there are they awaited
   */
  async run(calls, transport) {
    const { session, tell, turnBegun, onAnswered } = this.options
    const asked = this.#interruptions
    for (const { id, name } of calls) {
      this.#cancelled.delete(id)
      tell({ type: 'toolCall', id, name })
    }
    await turnBegun()
    // A call that was cancelled while its turn began must not begin to run.
    const wanted = calls.filter(({ id }) => !this.#cancelled.delete(id))
    if (wanted.length === 0 || this.#stopped) return
    const responses = await session.executeAll(wanted)
    const answers = wanted.map(({ id, name }, index) => ({ id, name, result: responses[index] }))
    for (const answer of answers) this.#report(answer)
    if (this.#stopped) return
    transport.sendToolResults(this.#interruptions === asked ? answers : this.#afterInterruption(answers))
    onAnswered()
  }

  /** What came of a call, for the client: never its data, and a confirmation's token for the user alone. */
  #report({ id, name, result }) {
    const { tell } = this.options
    const { ok, error } = result
    this.#cancelled.delete(id)
    tell({ type: 'toolResult', id, name, ok, ...(ok ? {} : { errorType: error.type }) })
    if (error?.confirmation_request?.token !== undefined) tell({ type: 'confirmation', request: error.confirmation_request })
  }

  /** After a barge-in nobody asks for what was read; what was written must be known, without breaking in. */
  #afterInterruption(answers) {
    const committed = ({ name, result }) =>
      this.options.metadataOf(name)?.sideEffects === 'writes' && (result.ok || result.error.partialSideEffects)
    return answers.filter(committed).map((answer) => ({ ...answer, scheduling: 'WHEN_IDLE' }))
  }
}
