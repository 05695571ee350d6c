// Calls that the model has announced only in its content: they are held, in case that their own message follows.

/** How long they are held; the model cannot continue meanwhile. */
const MAX_HELD_CALL_MS = 400

/** @typedef {import('../voice-types.js').Channel} Channel */

export class HeldCalls {
  /** @type {NodeJS.Timeout | null} */
  #timer = null
  #run

  /** @param {(calls: import('../voice-types.js').ReadyCall[], channel: Channel) => void} run */
  constructor(run) {
    this.#run = run
  }

  /** Runs the calls that the transport holds once the time is over. @param {Channel} channel */
  watch(channel) {
    const { transport } = channel
    if (!transport.holdsCalls) return this.stop()
    this.#timer ??= setTimeout(() => {
      this.stop()
      this.#run(transport.releaseHeldCalls?.() ?? [], channel)
    }, MAX_HELD_CALL_MS)
  }

  stop() {
    clearTimeout(this.#timer ?? undefined)
    this.#timer = null
  }
}
