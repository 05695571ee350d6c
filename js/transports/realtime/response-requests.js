'use strict'
// Requests for responses of a Realtime model. The service makes one response at a time, and refuses a request while another one is
// active: by an error that comes before or after the `response.created` of the other. Requests that wait are one request.

/** The code of the service's refusal. */
const ACTIVE_ALREADY = 'conversation_already_has_active_response'
/** The most responses that are tracked as active. */
const MAX_ACTIVE = 64

class ResponseRequests {
  /** Ids of the responses in progress. @type {Set<string>} */
  #active = new Set()
  #isWanted = false
  /** The request that has no response yet; `response`: the one that began since, which another cause may have. @type {{ eventId: string, response: string | null } | null} */
  #asked = null
  /** The id of the last request. */
  #lastEventId = ''
  /** A request was refused because of a response that has not been seen: the next one that ends may be it. */
  #isBlocked = false
  #count = 0
  #send

  /** @param {(event: { type: 'response.create', event_id: string }) => void} send may throw: the request then waits */
  constructor(send) {
    this.#send = send
  }

  /** The id of a response in progress, or `null`. @returns {string | null} */
  get active() {
    return this.#active.values().next().value ?? null
  }

  /** Whether a response is in progress or requested. */
  get isBusy() {
    return this.#active.size > 0 || this.#asked !== null
  }

  /** Requests a response, as soon as none is in progress. @returns {object | null} the event that was sent */
  request() {
    this.#isWanted = true
    return this.#askAtRest()
  }

  /** Drops a waiting request: the user's speech begins the next response. */
  drop() {
    this.#isWanted = false
  }

  /** @param {string} id */
  created(id) {
    this.#isBlocked = false
    this.#active.add(id)
    if (this.#active.size > MAX_ACTIVE) this.#active.delete(/** @type {string} */ (this.active))
    if (this.#asked !== null) this.#asked.response ??= id
  }

  /**
   * @param {string} id
   * @param {boolean} [isWanted] whether its end wants another response
   * @returns {object | null} the event that was sent
   */
  done(id, isWanted = false) {
    this.#isWanted ||= isWanted
    this.#isBlocked = false
    this.#active.delete(id)
    if (this.#asked?.response === id) this.#asked = null
    return this.#askAtRest()
  }

  /**
   * Reads an error of the service.
   * @param {{ code?: unknown, event_id?: unknown }} error
   * @returns {object | null} the event that was sent
   */
  failed({ code, event_id: eventId }) {
    const isOurs =
      typeof eventId === 'string' && eventId !== '' ? eventId === this.#lastEventId : code === ACTIVE_ALREADY
    if (!isOurs || this.#lastEventId === '') return null
    const hasSeenOther = this.#asked === null || this.#asked.response !== null
    this.#asked = null
    if (code !== ACTIVE_ALREADY) return null
    this.#lastEventId = ''
    this.#isWanted = true
    this.#isBlocked = !hasSeenOther && this.#active.size === 0
    return this.#askAtRest()
  }

  #askAtRest() {
    if (!this.#isWanted || this.#isBlocked || this.isBusy) return null
    const eventId = `toolgate_${(this.#count += 1)}`
    /** @type {{ type: 'response.create', event_id: string }} */
    const event = { type: 'response.create', event_id: eventId }
    this.#send(event)
    this.#isWanted = false
    this.#asked = { eventId, response: null }
    this.#lastEventId = eventId
    return event
  }
}

module.exports = { ResponseRequests }
