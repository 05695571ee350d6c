// The user of one run: speaks, types and presses keys on a page whose connection may be cut, and which then comes back.
import { silence, voice } from '../support/fixture.js'
import { VoiceClient } from '../support/voice-client.js'

/**
 * How often a user tries again when nothing comes of it, and after how long: a voice that pauses for less has not ended. Each
 * pause is longer than the last, as a slow answer must not be spoken over each time.
 */
const [TIMES, AGAIN_MS] = [3, 2500]

export class User {
  #credentials = {}
  #pages = 0
  #frames = 0
  #hasLeft = false
  /** @type {VoiceClient | null} */
  #client = null
  #returning = Promise.resolve()
  #lastSaid = ''

  /**
   * @param {object} options
   * @param {string} options.url of the voice server
   * @param {string} options.key of what the user wants
   * @param {import('./history.js').History} options.history
   * @param {import('./faulty-way.js').Fault & { returns?: 'now' | 'end' }} options.fault
   * @param {(words: string) => void} options.hear has the model hear words, where the provider does not transcribe sound
   * @param {() => Promise<void> | void} options.finish lets the handler end
   * @param {number} options.patienceMs
   */
  constructor(options) {
    this.options = options
  }

  /** Opens a page; it takes the session over from an earlier one. */
  async open() {
    const { url, history } = this.options
    const page = (this.#pages += 1)
    const client = await VoiceClient.open(url)
    this.#client = client
    client.socket.on('message', (data, isBinary) => isBinary || this.#shown(page, client, JSON.parse(data.toString())))
    client.closed
      .catch(() => ({ code: 1006 }))
      .then(({ code }) => {
        history.add('pageClosed', { page, code })
        if (client === this.#client && !this.#hasLeft) this.#returning = this.#reopened(this.#comeBack())
      })
    history.add('pageOpened', { page })
    client.send({ type: 'start', ...this.#credentials })
    const isStarted = await history.until(() => this.#has(page, 'started') || this.#has(page, 'error'), 5000)
    if (isStarted && this.#has(page, 'started')) {
      const { sessionId, resumeToken } = history
        .of('shown')
        .find(shown => shown.page === page && shown.type === 'started')
      if (this.#credentials.sessionId === undefined) this.#credentials = { sessionId, resumeToken }
    }
  }

  get credentials() {
    return this.#credentials
  }

  /** @param {Record<string, any>} act @returns {Promise<boolean>} whether what the user waited for came */
  async act(act) {
    const { key, history } = this.options
    if (act.say) await this.#say(act.say.replace('{key}', key))
    if (act.tab) await this.open()
    if (act.finish) await this.options.finish()
    if (act.leave) this.leave()
    const most = act.speak ? 2 * TIMES : TIMES
    for (let times = 1; times <= most; times += 1) {
      await this.#answer(act)
      if (act.until === undefined) return true
      const patienceMs = this.#mayRepeat(act) && times < most ? times * AGAIN_MS : this.options.patienceMs
      if (await history.until(() => this.#isMet(act.until), patienceMs)) return true
      // What was typed or pressed when the page's own connection was cut is typed again.
      if (!this.#mayRepeat(act)) return false
      if (act.until !== 'told' && !act.press && !act.confirm && !act.speak) await this.#say(this.#lastSaid)
    }
    return false
  }

  leave() {
    this.#hasLeft = true
    this.#client?.socket.close()
  }

  /** Waits until the page speaks with the server. */
  async settle() {
    await this.#returning
    const { history } = this.options
    for (const n of ['one', 'two']) {
      await this.#say(`hello ${n}`)
      await history.until(() => this.#said(`hi ${n}`), this.options.patienceMs)
    }
  }

  close() {
    this.#hasLeft = true
    this.#client?.socket.terminate()
  }

  /** Who speaks is not always heard, and an answer that was cut is asked for again. */
  #mayRepeat({ speak }) {
    return speak !== undefined || this.#wasCut || this.options.history.of('pageOpened').length > 1
  }

  async #say(text) {
    await this.#returning
    this.#lastSaid = text
    this.#send({ type: 'text', text })
  }

  async #answer({ press, confirm, speak }) {
    await this.#returning
    const card = this.#card()
    if (confirm && card) this.#yes('button', card, { type: 'confirm', token: card.request.token })
    if (press === '1' && card) this.#yes('key', card, { type: 'dtmf', digit: press })
    else if (press) this.#send({ type: 'dtmf', digit: press })
    if (speak && card) this.#speak(speak, card)
  }

  #speak(words, card) {
    this.options.history.add('yes', { way: 'speech', key: card.request.args.text })
    for (const pcm of [silence(400), voice(400), silence(700)]) this.#send(pcm)
    this.#send({ type: 'audioEnd' })
    this.options.hear(words)
  }

  #yes(way, card, frame) {
    this.options.history.add('yes', { way, key: card.request.args.text })
    this.#send(frame)
  }

  #send(frame) {
    const { socket } = this.#client
    if (socket.readyState === socket.OPEN) this.#client.send(frame)
  }

  #shown(page, client, frame) {
    const { history, fault } = this.options
    history.add('shown', { page, ...frame })
    this.#frames += 1
    if (this.#frames !== fault.after) return
    const cuts = { clientCut: () => client.socket.terminate(), clientClosed: () => client.socket.close() }
    if (Object.hasOwn(cuts, fault.kind)) history.add('fault', { fault: fault.kind })
    cuts[fault.kind]?.()
    if (fault.kind === 'oldCredentials' && this.#credentials.sessionId !== undefined) {
      history.add('fault', { fault: fault.kind })
      this.#returning = this.#reopened(this.open())
    }
  }

  /** The server may be closed when the run is over. @param {Promise<void>} opening */
  #reopened(opening) {
    return opening.catch(error => void this.options.history.add('pageRefused', { why: error.message }))
  }

  async #comeBack() {
    const { history, fault } = this.options
    if (fault.returns === 'end') await history.until(() => history.of('ended').length > 0, 800)
    await this.open()
  }

  get #wasCut() {
    const { history } = this.options
    return (
      history.of('pageClosed').length > 0 ||
      history.of('shown').some(({ type, reason }) => type === 'answerIncomplete' && reason === 'cut')
    )
  }

  #card() {
    return this.options.history.of('shown').findLast(({ type }) => type === 'confirmation')
  }

  #has(page, type) {
    return this.options.history.of('shown').some(frame => frame.page === page && frame.type === type)
  }

  #said(words) {
    return this.options.history
      .of('shown')
      .some(({ direction, text }) => direction === 'output' && text.includes(words))
  }

  #isMet(what) {
    const { key, history } = this.options
    const shown = history.of('shown')
    const results = () => shown.filter(({ type }) => type === 'toolResult')
    const conditions = {
      card: () => shown.some(({ type }) => type === 'confirmation'),
      closed: () => shown.some(({ type }) => type === 'confirmationClosed'),
      run: () => history.of('run').length > 0,
      ended: () => history.of('ended').length > 0,
      running: () => results().some(({ pending }) => pending),
      given: () => results().some(({ pending }) => !pending),
      greeted: () => this.#said('hi b'),
      // What is said at the moment of a cut is not said again: the result is shown.
      told: () => this.#said(`mark-${key}`) || (this.#wasCut && results().some(({ ok, pending }) => ok && !pending)),
      asked: () => {
        const at = shown.findIndex(
          ({ direction, text }) => direction === 'output' && text.includes(`${key}. Shall I do that?`),
        )
        return at >= 0 && shown.slice(at).some(({ type }) => type === 'turnComplete')
      },
    }
    return conditions[what]()
  }
}
