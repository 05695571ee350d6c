// One conversation between user and model: provider link, client frames and tool calls, and the order of their effects.
import { randomUUID } from 'node:crypto'
import { AnswerWatch } from './answer-watch.js'
import { BargeIn } from './barge-in.js'
import { CallRunner } from './call-runner.js'
import { ConfirmationManager } from '../consent/confirmation-manager.js'
import { Delegations } from './delegations.js'
import { Delivery } from '../delivery/delivery.js'
import { Filler } from './filler.js'
import { GateTurns } from './gate-turns.js'
import { HeldCalls } from './held-calls.js'
import { inputAudioFor } from '../audio/input-audio-buffer.js'
import { Interruptions } from './interruptions.js'
import { typedNote, waitingNote, writtenNote } from '../delivery/model-notes.js'
import { ProgressFrames } from './progress-frames.js'
import { Renewal } from './renewal.js'
import { ServerLines } from './server-lines.js'
import { SpeechOutput } from '../audio/speech-output.js'
import { TurnTracker } from './turn-tracker.js'

/**
 * @typedef {import('../voice-types.js').ServerFrame} Frame
 * @typedef {import('../voice-types.js').Channel} Channel
 */

export class Conversation {
  turns = new TurnTracker()
  #heldCalls = new HeldCalls((calls, channel) => this.options.guarded(() => this.runner.run(calls, channel)))
  #interruptions = new Interruptions(this, () => this.#heldCalls.stop())
  #renewal = new Renewal({ renew: () => this.link.renew(), isAtRest: () => this.#isAtRest })
  #stopped = false

  /**
   * @param {object} options
   * @param {import('../connection/server-context.js').ServerContext} options.context
   * @param {import('toolgate').Session} options.session
   * @param {import('../connection/client-socket.js').ClientSocket} options.client
   * @param {string} options.connectionId
   * @param {string} [options.timeZone] of the user
   * @param {Omit<import('../voice-types.js').EarlierState, 'turnOpen'>} options.earlier from an earlier connection
   * @param {import('../connection/pending-session-end.js').PendingSessionEnd} options.pendingEnd
   * @param {() => void} options.onLost the model's connection is lost and cannot be restored
   * @param {() => void} options.onUserSpoke
   * @param {import('../voice-types.js').Guarded} options.guarded
   */
  constructor(options) {
    this.options = options
    const { context, session, client, earlier, guarded } = options
    const isShown = () => !this.#stopped && client.isOpen
    const sendFrame = (/** @type {Frame} */ frame) => (isShown() ? client.send(frame) : this.#missed(frame))
    const metadataOf = (/** @type {string} */ toolId) => context.registry.getToolMetadata(toolId)
    const onPending = (/** @type {string} */ message) => !this.#stopped && this.link.sendContext(message)
    this.gateTurns = new GateTurns({ session, guarded, onPending })
    this.output = new SpeechOutput(client, session)
    this.link = this.#makeLink(earlier)
    this.lines = new ServerLines({
      context,
      session,
      sendFrame,
      play: pcm => this.output.play([{ pcm, item: null }]),
      isQuiet: () => this.output.remainingMs <= 0 && !this.link.isUserSpeaking,
    })
    const { latencies, queue } = earlier
    this.filler = new Filler({ latencies, metadataOf, sendFrame, thinking: this.lines.thinking })
    const delivery = new Delivery({ queue, session, conversation: this, metadataOf, guarded, sendFrame })
    this.delivery = delivery
    this.inputAudio = inputAudioFor({ context, link: this.link, connectionId: options.connectionId })
    this.answers = new AnswerWatch({
      context,
      connectionId: options.connectionId,
      link: this.link,
      isModelDue: () => this.turns.owesAnswer,
      isBusy: () => this.isBusy,
      say: kind => this.lines.say(kind),
      onIncomplete: reason => this.lines.answerIncomplete(reason),
      onGivenUp: () => this.#turnCompleted(),
    })
    this.progress = new ProgressFrames({ metadataOf, sendFrame })
    this.confirmations = new ConfirmationManager({
      session,
      metadataOf,
      sendFrame,
      guarded,
      filler: this.filler,
      conversation: this,
      delivery,
      report: answer => this.runner.report(answer),
      isShown,
      consentOf: context.consentOf,
      isDuplex: this.link.isDuplex,
      pollMs: context.limits.pendingPollMs,
      meta: context.meta,
    })
    this.runner = new CallRunner({
      session,
      metadataOf,
      sendFrame,
      isShown,
      filler: this.filler,
      confirmations: this.confirmations,
      turnBegun: () => this.gateTurns.begun,
      isDuplex: this.link.isDuplex,
      prepareReadBack: readBack => this.link.prepareReadBack(readBack),
      onAnswered: () => this.answered(),
      delivery,
      answersSent: isInterrupted => this.#answersSent(isInterrupted),
      onWrite: ({ name }, response) => this.link.remember(writtenNote(name, response)),
    })
    this.bargeIn = new BargeIn({
      minSpeechMs: context.limits.bargeInSpeechMs,
      runner: this.runner,
      isDuplex: this.link.isDuplex,
      onBrokeIn: turn => delivery.brokeIn(turn),
    })
    const work = { context, session, conversation: this, metadataOf, guarded, connectionId: options.connectionId }
    this.delegations = context.delegate ? new Delegations(work) : null
  }

  /** Starts after the link is open. @param {{ turnOpen: boolean }} earlier a turn that an earlier connection opened continues */
  begin({ turnOpen }) {
    this.turns = new TurnTracker({ open: turnOpen })
    this.delivery.begin({ isResumed: this.link.handle !== null })
  }

  /** What a later connection needs. */
  get resumptionState() {
    const { latencies, queue } = this.options.earlier
    const { handle, memory, whenLeft } = this.link
    return { handle, memory, whenLeft, turnOpen: this.turns.isOpen, queue, latencies }
  }

  /**
   * Shows the pending questions of earlier connections again and gives them to the model as context.
   * @param {import('toolgate').PendingConfirmation[]} pending
   */
  showPending(pending) {
    this.options.earlier.queue.showFrames()
    for (const request of pending) {
      const readBack = this.confirmations.show(request)
      // Another question is read first, or approvers decide.
      if (readBack === null) continue
      if (!this.link.isDuplex) this.link.sendContext(waitingNote(readBack))
      this.confirmations.questionSent(request.token)
    }
  }

  /** @param {{ text: string, id?: string }} said */
  async handleText({ text, id = randomUUID() }) {
    this.#interruptions.byText()
    this.turns.typed()
    const { pendingMessage } = await this.gateTurns.begin(`text:${id}`)
    if (this.#stopped) return
    this.answers.asked()
    if (this.delegations === null) return this.link.sendText([pendingMessage, text])
    this.link.sendContext([pendingMessage ?? '', typedNote(text)].join('\n'))
    this.link.rememberNote(text)
    this.delegations.typed(text)
  }

  /** @param {Buffer} pcm */
  handleAudio(pcm) {
    this.#utteranceHeard()
    this.bargeIn.heard(pcm)
    this.inputAudio.push(pcm)
  }

  audioEnded() {
    this.inputAudio.end()
  }

  /** @param {number} ms of the model's voice played, as the client reports */
  played(ms) {
    this.output.played(ms)
    this.confirmations.hear('played')
  }

  remainingMs() {
    return this.output.remainingMs
  }

  inputMs() {
    return this.link.inputMs
  }

  /** The model's speech gives way to a note. */
  stopForNote() {
    this.#interruptions.byNote()
  }

  /** The model was asked to speak. */
  asked() {
    this.turns.asked()
    this.answers.asked()
  }

  /** Sends the session's state to the client after tool calls were answered. */
  answered() {
    if (this.#stopped) return
    const { client, session, pendingEnd } = this.options
    client.send({ type: 'state', state: session.state.getSnapshot(), turn: session.turn })
    pendingEnd.answered()
  }

  /** @param {{ isReceived?: boolean }} [sent] the client has received all that was sent to it */
  stop({ isReceived = false } = {}) {
    this.#stopped = true
    this.#heldCalls.stop()
    this.#renewal.stop()
    for (const part of [this.runner, this.answers, this.confirmations, this.filler, this.inputAudio]) part.stop()
    this.delivery.stop({ isReceived })
    this.delegations?.stop()
    this.link.close()
  }

  /** What a call came to after the client left is shown to it when it returns. @param {Frame} frame */
  #missed(frame) {
    if (['toolResult', 'confirmationClosed'].includes(frame.type))
      this.options.earlier.queue.missed(frame, this.delivery.outlet)
  }

  /** @param {Pick<import('../voice-types.js').EarlierState, 'handle' | 'memory'>} earlier */
  #makeLink({ handle, memory }) {
    const { context, session, guarded, onLost, timeZone } = this.options
    return context.makeLink({
      session,
      handle,
      memory,
      timeZone,
      onMessage: message => guarded(() => this.#receive(message)),
      onReconnected: () => this.#reconnected(),
      onLost,
      isBusy: () => this.isBusy,
    })
  }

  #reconnected() {
    const { client, session, earlier } = this.options
    client.send({ type: 'state', provider: 'reconnected', turn: session.turn })
    this.#renewal.stop()
    this.runner.forgetExpected()
    const isOwed = earlier.queue.reconnected() || this.isBusy || earlier.queue.hasResults
    // The answer that is owed is the one about the results and notes, which come first.
    if (isOwed && !this.link.hasUnacknowledged) this.turns.answerLost()
    else if (this.turns.isAnswerCut) this.#answerCut()
    else if (this.turns.owesAnswer) this.link.requestAnswer()
  }

  /**
   * Handles one provider message: cancellations first, then calls, then speech, then the end of the turn.
   * @param {object} message
   */
  #receive(message) {
    // What comes while the client's connection closes is for its next one.
    if (this.#stopped || !this.options.client.isOpen) return
    const channel = /** @type {Channel} connected: it sent the message */ (this.link.channel)
    const { transport } = channel
    // The transport runs before the link reads: the link merges response requests of one message.
    const cancelled = transport.receiveCancellations(message)
    const heard = this.link.read(message)
    // What the transport cancels for detected speech may be a cough: `BargeIn` decides.
    if (!heard.userSpoke) this.runner.cancel(cancelled)
    if (!heard.isSilent) this.answers.frameReceived()
    const isTextNext = this.link.received(heard.receipts)
    this.delivery.heard(heard)
    if (transport.problem !== null) {
      const fields = { connection: this.options.connectionId, problem: transport.problem }
      this.options.context.logger.warn('a message of the provider was not read as a whole', fields)
    }
    if (heard.userSpoke) {
      this.#interruptions.byVoice(heard.utterance)
      this.#utteranceHeard()
    }
    if (heard.speechStopped) this.bargeIn.speechStopped()
    // A transcript begins its turn before the calls that answer it are counted.
    if (heard.beginsTurn) this.#wordsHeard()
    const calls = transport.receiveToolCalls(message)
    // The service heard an utterance, and transcribed nothing of it.
    if (calls.length > 0 && this.turns.called()) this.gateTurns.spoken()
    this.runner.expect(calls)
    const words = heard.pieces.map(piece => this.output.caption(piece))
    const ready = this.link.collectCalls(calls, message)
    if (ready.length > 0) this.options.guarded(() => this.runner.run(ready, channel))
    this.#heldCalls.watch(channel)
    this.delegations?.receive(transport.receiveDelegations?.(message) ?? [], channel)
    if (heard.userStopped) {
      this.answers.userSpoke()
      this.options.onUserSpoke()
    }
    if (heard.modelSpoke) this.#modelSpoke(heard)
    this.output.play(heard.audio)
    if (heard.interrupted) this.#interruptions.byProvider()
    if (!heard.modelSpoke) this.bargeIn.transcribed(heard.pieces)
    if (heard.problem !== null) this.answers.failed(heard.problem)
    if (heard.turnComplete) this.#turnCompleted(isTextNext)
    for (const said of words) if (said !== null) this.options.guarded(() => this.confirmations.userSaid(said))
    if (!this.#stopped) this.#renewal.heard(heard)
  }

  /** What was heard of an answer would be said twice. */
  #answerCut() {
    this.lines.answerIncomplete('cut')
    this.#turnCompleted()
    this.confirmations.answerCut()
  }

  /** @param {boolean} isInterrupted */
  #answersSent(isInterrupted) {
    this.turns.asked()
    // The response to what the user is saying knows the answers.
    if (isInterrupted && !this.link.isUserSpeaking) this.link.requestAnswerAgain()
  }

  /** @param {import('../providers/provider-link.js').ParsedMessage} heard */
  #modelSpoke({ pieces, audio }) {
    this.turns.modelSpoke(
      audio.length > 0 || pieces.some(({ direction, text }) => direction === 'output' && text !== ''),
    )
    this.answers.modelSpoke()
    this.link.modelSpoke()
    this.confirmations.hear('modelSpoke')
    this.bargeIn.modelSpoke()
    if (this.options.session.state.get('shouldSuppressAudio')) return
    for (const { direction, text } of pieces) if (direction === 'output') this.confirmations.modelSaid(text)
  }

  /** @param {boolean} [isTextNext] the answer to a text that was typed before the turn ended follows */
  #turnCompleted(isTextNext = false) {
    const { client, session, pendingEnd, earlier } = this.options
    if (this.turns.completed()) {
      this.runner.turnCompleted()
      this.bargeIn.turnCompleted()
    }
    if (isTextNext) this.turns.typed()
    this.answers.turnCompleted(isTextNext)
    this.confirmations.hear('turnCompleted')
    client.send({ type: 'turnComplete', turn: session.turn })
    pendingEnd.turnCompleted()
    if (!this.#stopped) earlier.queue.flush()
  }

  get isIdle() {
    return this.#isAtRest && this.output.remainingMs <= 0 && this.link.connection !== null
  }

  /** Whether neither side speaks to the other; what the model said may still be playing. */
  get #isAtRest() {
    return !this.turns.owesAnswer && !this.isBusy && !this.link.isUserSpeaking
  }

  /** Whether a call runs, or the host works for the model. @returns {boolean} */
  get isBusy() {
    return this.runner.isBusy || this.delegations?.isBusy === true
  }

  #wordsHeard() {
    this.#utteranceHeard()
    this.options.onUserSpoke()
    this.#interruptions.byWords()
  }

  #utteranceHeard() {
    if (this.turns.heard()) this.gateTurns.spoken()
  }
}
