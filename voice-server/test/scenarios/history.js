// What happened in one run, in order: what the handlers did, what the provider sent and got, what each client sent and got.

export class History {
  /** @type {({ at: number, kind: string } & Record<string, any>)[]} */
  entries = []
  #waiters = new Set()

  /** @param {string} kind @param {object} [what] */
  add(kind, what = {}) {
    const entry = { ...what, kind, at: performance.now() }
    this.entries.push(entry)
    for (const waiter of [...this.#waiters]) waiter()
    return entry
  }

  /** @param {string} kind */
  of(kind) {
    return this.entries.filter(entry => entry.kind === kind)
  }

  /**
   * Resolves with whether the condition came to hold within the patience.
   * @param {(history: History) => unknown} holds
   * @param {number} patienceMs
   * @returns {Promise<boolean>}
   */
  until(holds, patienceMs) {
    return new Promise(resolve => {
      const check = () => holds(this) && end(true)
      const end = met => {
        clearTimeout(timer)
        this.#waiters.delete(check)
        resolve(met)
      }
      const timer = setTimeout(() => end(false), patienceMs)
      this.#waiters.add(check)
      check()
    })
  }
}
