// Serializes response requests to a Realtime model: the service makes one response at a time and refuses a second.
// Requests during a response are merged into one request for the next.

const ACTIVE_ALREADY = 'conversation_already_has_active_response'

/**
 * @typedef {{ code?: string, event_id?: string, message?: string }} ServiceError
 * @typedef {{ type?: string, response?: { id?: string }, error?: ServiceError }} ServiceEvent of a Realtime model
 */

export class ResponseRequester {
  /** Id of the response in progress. @type {string | null} */
  #active = null
  #isRequested = false
  #isWanted = false

  /** @param {(event: { type: string, event_id: string }) => void} send */
  constructor(send) {
    this.send = send
  }

  get active() {
    return this.#active
  }

  get isBusy() {
    return this.#active !== null || this.#isRequested
  }

  request() {
    this.#isWanted = true
    this.#requestIfFree()
  }

  /** Drops a waiting request: the user's speech triggers the next response. */
  dropRequest() {
    this.#isWanted = false
  }

  /** @param {ServiceEvent} event */
  handle(event) {
    if (event.type === 'response.created') {
      this.#isRequested = false
      this.#active = event.response?.id ?? ''
    } else if (event.type === 'response.done') {
      this.#active = null
      this.#requestIfFree()
    } else if (event.type === 'error') this.#refused(event.error ?? {})
  }

  /** @param {ServiceError} error */
  #refused({ code, event_id: eventId }) {
    if (!this.#isRequested) return
    if (code === ACTIVE_ALREADY) {
      // An unknown response was already active; its `response.done` triggers the request again.
      this.#isRequested = false
      this.#isWanted = true
    } else if (eventId === REQUEST_ID) this.#isRequested = false
  }

  #requestIfFree() {
    if (!this.#isWanted || this.isBusy) return
    this.#isWanted = false
    this.#isRequested = true
    this.send({ type: 'response.create', event_id: REQUEST_ID })
  }
}

const REQUEST_ID = 'toolgate_ask'
