// What the model and the user say to each other, and what the model asks for: from the messages of the link to the
// client's frames and the tool calls, and back. The order of things that happen is written down here.
import { randomUUID } from 'node:crypto'
import { AudioInlet } from './audio-inlet.js'
import { CallRunner } from './call-runner.js'
import { Captions } from './captions.js'
import { Consent } from './consent.js'
import { Filler } from './filler.js'
import { IdleNotes } from './idle-notes.js'
import { lateNote, lostNote, outcomeNote, startedNote, waitingNote } from './model-notes.js'
import { Playback } from './playback.js'
import { TurnTracker } from './turn-tracker.js'

/** A call that only the model's content announced is not waited with for longer: nobody may speak before its answer. */
const HELD_CALL_MS = 400

export class Conversation {
  turns = new TurnTracker()
  #captions = new Captions()
  #playback = new Playback()
  #turnBegun = Promise.resolve()
  #heldTimer = null
  #goingAway = false
  #stopped = false

  /**
   * @param {object} options
   * @param {import('./voice-host.js').VoiceHost} options.host
   * @param {import('toolgate').Session} options.session
   * @param {import('./browser-link.js').BrowserLink} options.browser
   * @param {string} options.connectionId
   * @param {{ handle: unknown, latencies: import('./filler.js').Latencies }} options.earlier what an earlier connection
   *   left behind
   * @param {import('./voice-ending.js').VoiceEnding} options.ending
   * @param {() => void} options.onLost the model is gone for good
   * @param {(act: () => unknown) => void} options.guarded runs what nobody awaits
   */
  constructor(options) {
    this.options = options
    const { host, session, browser, earlier, guarded } = options
    const [tell, metadataOf] = [frame => browser.send(frame), toolId => host.registry.getToolMetadata(toolId)]
    this.link = this.#makeLink(earlier.handle)
    this.filler = new Filler({ latencies: earlier.latencies, metadataOf, tell })
    this.notes = new IdleNotes({ isIdle: () => this.#isIdle, tell: note => this.#tellModel(note) })
    this.inlet = this.#makeInlet()
    this.consent = new Consent({
      session,
      metadataOf,
      tell,
      guarded,
      filler: this.filler,
      conversation: this,
      report: answer => this.runner.report(answer),
      matcher: host.spokenConsent,
      pollMs: host.limits.pendingPollMs,
    })
    this.runner = new CallRunner({
      session,
      metadataOf,
      tell,
      filler: this.filler,
      consent: this.consent,
      turnBegun: () => this.#turnBegun,
      onAnswered: () => this.answered(),
      answerLate: (answer, transport) => this.#answerLate(answer, transport),
      answerLost: answers => this.#answerLost(answers),
      isCurrent: transport => transport === this.link.transport,
      withdraw: (answer, transport) => this.link.withdraw(answer, transport),
      onWrite: ({ name }, response) =>
        this.link.remember(response === null ? startedNote(name) : outcomeNote(name, response)),
    })
  }

  /** The model listens: a turn that an earlier connection began goes on. */
  begin({ turnOpen, notes }) {
    this.turns = new TurnTracker({ open: turnOpen })
    for (const note of notes) this.notes.add(note)
  }

  /** What a later connection needs to go on. */
  get leftBehind() {
    const { latencies } = this.options.earlier
    return { handle: this.link.handle, turnOpen: this.turns.isOpen, notes: this.notes.waiting, latencies }
  }

  /** Questions of earlier connections: the user sees them again, and the model knows of them. */
  remind(pending) {
    for (const request of pending) {
      this.link.sendContext(waitingNote(this.consent.asked(request)))
      this.consent.told(request.token)
    }
  }

  /** @param {{ text: string, id?: string }} said */
  async typed({ text, id = randomUUID() }) {
    // A model that does not hear of it by itself is stopped; one that does says so.
    const breaksIn = this.turns.owesAnswer || this.#playback.remainingMs > 0
    if (breaksIn && this.link.breakIn()) this.#interrupted(() => this.turns.cutOff())
    this.turns.typed()
    const { pendingMessage } = await this.#beginTurn(`text:${id}`)
    if (!this.#stopped) this.link.sendText([pendingMessage, text])
  }

  /** @param {Buffer} pcm */
  heard(pcm) {
    this.#utteranceHeard()
    this.inlet.push(pcm)
  }

  audioEnded() {
    this.link.sendAudioEnd()
  }

  /** @param {number} ms of the model's voice, as the client counts */
  played(ms) {
    this.#playback.reported(ms)
    this.consent.played()
  }

  remainingMs() {
    return this.#playback.remainingMs
  }

  inputMs() {
    return this.link.inputMs
  }

  /** Something that the model is to speak about now. */
  note(text) {
    if (this.#stopped) return
    if (this.turns.owesAnswer && this.link.breakIn()) this.#interrupted(() => this.turns.cutOff())
    this.turns.asked()
    this.link.sendNote(text)
  }

  noteWhenIdle(text) {
    this.notes.add({ text, isSpoken: true })
  }

  contextWhenIdle(text) {
    this.notes.add({ text, isSpoken: false })
  }

  /** After answers: what they did to the session. */
  answered() {
    if (this.#stopped) return
    const { browser, session, ending } = this.options
    browser.send({ type: 'state', state: session.state.getSnapshot(), turn: session.turn })
    ending.answered()
  }

  stop() {
    this.#stopped = true
    this.#stopHolding()
    for (const part of [this.runner, this.consent, this.filler, this.notes, this.inlet]) part.stop()
    this.link.close()
  }

  #tellModel({ text, isSpoken }) {
    if (isSpoken) this.note(text)
    else this.link.sendContext(text)
  }

  #makeLink(handle) {
    const { host, browser, session, guarded, onLost } = this.options
    return host.makeLink({
      handle,
      onMessage: message => guarded(() => this.#receive(message)),
      onReconnected: () => this.#reconnected(),
      onLost,
    })
  }

  #reconnected() {
    const { browser, session } = this.options
    browser.send({ type: 'state', provider: 'reconnected', turn: session.turn })
    this.runner.forgetExpected()
    if (this.turns.owesAnswer && !this.runner.isBusy) this.link.askAgain()
  }

  #makeInlet() {
    const { host, connectionId } = this.options
    const message = 'sound of the user was dropped, the provider took it too slowly'
    const onDropped = droppedMs => host.logger.warn(message, { connection: connectionId, droppedMs })
    return new AudioInlet({ link: this.link, backlogMs: host.limits.inputBacklogMs, onDropped })
  }

  /** One message of the model: what it takes back, then what it asks for, then what it says, then what is over. */
  #receive(message) {
    if (this.#stopped) return
    const { transport } = this.link
    // The transport first: what it asks of the model for this message is asked together with what others want.
    this.runner.cancel(transport.receiveCancellations(message))
    const heard = this.link.read(message)
    if (transport.problem !== null) this.#notUnderstood(transport.problem)
    if (heard.userSpoke) this.#userSpoke()
    // Words begin their turn before the calls that answer them are counted.
    if (heard.beginsTurn) this.#utteranceHeard()
    const calls = transport.receiveToolCalls(message)
    this.runner.expect(calls)
    const words = heard.pieces.map(piece => this.#caption(piece))
    this.#run(this.link.gather(calls, message), transport)
    this.#watchHeldCalls(transport)
    if (heard.modelSpoke) this.#modelSpoke()
    this.#passOn(heard.audio)
    if (heard.interrupted) this.#interrupted(() => this.turns.interrupted())
    if (heard.turnComplete) this.#turnCompleted()
    for (const said of words) if (said !== null) this.options.guarded(() => this.consent.heard(said))
    this.#leaveInTime(heard)
  }

  #run(calls, transport) {
    if (calls.length > 0) this.options.guarded(() => this.runner.run(calls, transport))
  }

  /** A provider that took the conversation up and knows its calls repeats them; another one is told what they answered. */
  #answerLost(answers) {
    if (this.link.repeatsCalls) return
    this.link.sendNote(answers.map(({ name, result }) => lostNote(name, result)).join('\n'))
  }

  #watchHeldCalls(transport) {
    if (!transport.holdsCalls) return this.#stopHolding()
    this.#heldTimer ??= setTimeout(() => {
      this.#stopHolding()
      this.#run(transport.releaseHeldCalls(), transport)
    }, HELD_CALL_MS)
  }

  #stopHolding() {
    clearTimeout(this.#heldTimer)
    this.#heldTimer = null
  }

  /** @returns {{ text: string, startMs: number | null } | null} the user's words, where these are the last of them */
  #caption(piece) {
    const { browser, session } = this.options
    const added = this.#captions.add(piece)
    if (added === null) return null
    if (!session.state.get('shouldSuppressTranscript')) browser.send({ ...added.frame, turn: session.turn })
    return piece.direction === 'input' && added.whole !== null
      ? { text: added.whole, startMs: piece.startMs ?? null }
      : null
  }

  #passOn(audio) {
    const { browser, session } = this.options
    if (audio.length === 0 || session.state.get('shouldSuppressAudio')) return
    for (const sound of audio) if (browser.sendAudio(sound.pcm)) this.#playback.sent(sound)
  }

  #modelSpoke() {
    this.turns.modelSpoke()
    this.link.modelSpoke()
    this.consent.modelSpoke()
  }

  /** The provider has heard the user's voice: what the model says, or owes, is over. */
  #userSpoke() {
    if (this.turns.owesAnswer) this.#interrupted(() => this.turns.cutOff())
    // The turn was over, only its sound was not: the next one began with the first sound after it.
    else if (this.#playback.remainingMs > 0) this.#interrupted(() => {})
    this.#utteranceHeard()
  }

  #interrupted(endTurn) {
    const { browser, session } = this.options
    const { heardMs, cuts } = this.#playback.interrupted()
    endTurn()
    this.#stopHolding()
    this.runner.interrupted()
    this.consent.interrupted()
    this.link.truncate(cuts)
    browser.dropAudio()
    for (const frame of this.#captions.close('output')) browser.send({ ...frame, turn: session.turn })
    browser.send({ type: 'interrupted', turn: session.turn, heardMs })
    this.notes.look()
  }

  #turnCompleted() {
    const { browser, session, ending } = this.options
    this.turns.completed()
    this.consent.turnCompleted()
    browser.send({ type: 'turnComplete', turn: session.turn })
    ending.turnCompleted()
    if (!this.#stopped) this.notes.look()
  }

  /** The service will close this connection soon: leave it while nobody speaks, with a handle that knows this turn. */
  #leaveInTime({ resumable, goAway }) {
    if (goAway) this.#goingAway = true
    if (!this.#goingAway || !resumable || this.turns.isOpen || this.#stopped) return
    this.#goingAway = false
    this.link.renew()
  }

  get #isIdle() {
    const { link, runner, turns } = this
    const isModelSilent = !turns.owesAnswer && !runner.isBusy && this.#playback.remainingMs <= 0
    return isModelSilent && !link.isUserSpeaking && link.connection !== null
  }

  #answerLate(answer, transport) {
    if (!this.link.answerLate(answer, transport)) this.contextWhenIdle(lateNote(answer.name, answer.result))
  }

  #utteranceHeard() {
    if (!this.turns.heard()) return
    this.options.guarded(async () => {
      const { pendingMessage } = await this.#beginTurn(`audio:${randomUUID()}`)
      if (pendingMessage !== null && !this.#stopped) this.link.sendContext(pendingMessage)
    })
  }

  #beginTurn(turnId) {
    const begun = this.options.session.beginTurn(turnId)
    // Calls wait for this; that it failed is the caller's to handle.
    this.#turnBegun = begun.catch(() => {})
    return begun
  }

  #notUnderstood(problem) {
    const { host, connectionId } = this.options
    host.logger.warn('a message of the provider was not understood', { connection: connectionId, problem })
  }
}
