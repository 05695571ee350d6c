// Who asks a Realtime model for a response, and when: the service makes one at a time and refuses a second. All who want
// one ask here, and those who ask while one is made get the next one together.

const ACTIVE_ALREADY = 'conversation_already_has_active_response'

export class ResponseAsker {
  /** Id of the response that is being made. */
  #active = null
  #asked = false
  #wanted = false

  /** @param {(event: object) => void} send */
  constructor(send) {
    this.send = send
  }

  get active() {
    return this.#active
  }

  get isBusy() {
    return this.#active !== null || this.#asked
  }

  ask() {
    this.#wanted = true
    this.#askIfFree()
  }

  /** The user speaks: what they say makes the next response. */
  forget() {
    this.#wanted = false
  }

  /** @param {{ type: string, response?: { id?: string }, error?: { code?: string, event_id?: string } }} event of the service */
  heard(event) {
    if (event.type === 'response.created') {
      this.#asked = false
      this.#active = event.response?.id ?? ''
    } else if (event.type === 'response.done') {
      this.#active = null
      this.#askIfFree()
    } else if (event.type === 'error') this.#refused(event.error ?? {})
  }

  #refused({ code, event_id: of }) {
    if (!this.#asked) return
    if (code === ACTIVE_ALREADY) {
      // Of a response that began before ours and is not known here yet, the end will come.
      this.#asked = false
      this.#wanted = true
    } else if (of === ASK_ID) this.#asked = false
  }

  #askIfFree() {
    if (!this.#wanted || this.isBusy) return
    this.#wanted = false
    this.#asked = true
    this.send({ type: 'response.create', event_id: ASK_ID })
  }
}

const ASK_ID = 'toolgate_ask'
