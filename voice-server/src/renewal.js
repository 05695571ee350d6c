// The renewal of the provider's connection before the service closes it.

export class Renewal {
  #isDue = false
  #renew

  /** @param {() => void} renew */
  constructor(renew) {
    this.#renew = renew
  }

  /**
   * Renews once the service has announced the end, while no turn is open and with a handle that includes this turn.
   * @param {import('./links/provider-link.js').ParsedMessage} heard
   * @param {boolean} isTurnOpen
   */
  heard({ resumable, goAway }, isTurnOpen) {
    if (goAway) this.#isDue = true
    if (!this.#isDue || !resumable || isTurnOpen) return
    this.#isDue = false
    this.#renew()
  }
}
