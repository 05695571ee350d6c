// Reports to the model what came of its calls, on whichever connection it has: answers at once on the connection that made the
// call, everything else by the session's queue at rest. Nothing is done with a result until the model has taken it up: then a
// background result is accepted, and only then it is not sent again.
import { delegatedNote, lateNote, resultNote, sayNote } from './model-notes.js'
import { QuestionVoice } from './question-voice.js'

/**
 * @typedef {import('../voice-types.js').Answer} Answer
 * @typedef {import('../voice-types.js').Channel} Channel
 * @typedef {import('./delivery-queue.js').Note} Note
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 */

const [MAX_TURNS, MAX_SHOWN] = [100, 500]

export class Delivery {
  #stopped = false
  #results = new AbortController()
  /** Turns that the user broke into. @type {number[]} */
  #brokenTurns = []
  /** Calls whose results this client was shown, which the gate offers until the model has them. @type {string[]} */
  #shown = []
  /** Notes that were sent as text, which a provider without a memory must get again once they were heard.
   * @type {WeakSet<Note>} */
  #written = new WeakSet()

  /**
   * @param {object} options
   * @param {import('./delivery-queue.js').DeliveryQueue} options.queue of the session
   * @param {import('toolgate').Session} options.session
   * @param {import('../conversation/conversation.js').Conversation} options.conversation
   * @param {import('../voice-types.js').MetadataOf} options.metadataOf
   * @param {import('../voice-types.js').Guarded} options.guarded
   * @param {(frame: import('../voice-types.js').ServerFrame) => void} options.sendFrame to the client
   */
  constructor(options) {
    this.options = options
    const { conversation, sendFrame } = options
    this.meta = conversation.options.context.meta
    this.questionVoice = new QuestionVoice(conversation)
    this.outlet = {
      isIdle: () => conversation.isIdle,
      isConnected: () => conversation.link.connection !== null,
      deliver: (/** @type {Note[]} */ notes) => this.#deliver(notes),
      sendFrame,
    }
  }

  /** @param {{ isResumed: boolean }} provider whether its conversation is an earlier one */
  begin(provider) {
    this.options.queue.attach(this.outlet, provider)
    this.options.guarded(() => this.#takeResults())
  }

  /** A call begins: its result is its owner's to give. @param {string} callId @param {object} owner */
  own(callId, owner) {
    this.options.queue.own(callId, owner)
  }

  /** @param {string} callId @param {object} owner */
  owns(callId, owner) {
    return this.options.queue.owns(callId, owner)
  }

  /**
   * A result is about to be shown that the gate may offer as well.
   * @param {string} callId
   * @returns {boolean} false if a client has it
   */
  showing(callId) {
    if (!this.options.queue.showing(callId)) return false
    this.#shown = [...this.#shown, callId].slice(-MAX_SHOWN)
    return true
  }

  /** A confirmation is given. @param {string} token @returns {boolean} whether this process has given it before */
  confirming(token) {
    return this.options.queue.confirming(token)
  }

  /** It ran nothing, and its question still waits. @param {string} token */
  notConfirmed(token) {
    this.options.queue.notConfirmed(token)
  }

  /**
   * Answers calls: on the connection that waits for the answers, else by a note at rest.
   * @param {Answer[]} answers
   * @param {Channel} channel that the calls came on
   * @returns {boolean} whether the model is about to speak about them
   */
  answer(answers, channel) {
    const { queue } = this.options
    const notes = this.#ownNotes(answers, ({ name, result }) => resultNote(name, result, this.meta))
    if (this.#isCurrent(channel)) this.#sendAnswers(notes, answers)
    else for (const note of notes) queue.add(note)
    return this.#isCurrent(channel)
  }

  /** Reports a write whose turn is over, without an interruption. @param {Answer} answer @param {Channel} channel */
  answerLate(answer, channel) {
    const { queue, conversation } = this.options
    const notes = this.#ownNotes([answer], ({ name, result }) => lateNote(name, result, this.meta))
    const receipts = this.#isCurrent(channel) ? conversation.link.answerLate(answer) : null
    for (const note of notes) note.isSpoken = false
    if (receipts !== null) queue.sent(notes, { receipts, isAnswer: true })
    else for (const note of notes) queue.add(note)
  }

  /**
   * What is kept of answers until the model has taken them up. Once this conversation has ended, the gate offers what it has held.
   * @param {Answer[]} answers
   * @param {(answer: Answer) => string} textOf
   * @returns {Note[]}
   */
  #ownNotes(answers, textOf) {
    const own = this.#stopped ? answers.filter(({ held }) => !held) : answers
    return own.map(answer => ({
      text: textOf(answer),
      isSpoken: true,
      callId: answer.id,
      isEnd: isEnd(answer.result),
      ...(answer.held && { isOffered: true, onHeard: () => this.#accept(answer) }),
    }))
  }

  /** @param {Answer} answer */
  #accept({ held, result }) {
    if (held) this.options.guarded(() => held.accept(result))
  }

  /** Ends a call that changed nothing and whose turn is over. @param {Answer} answer @param {Channel} channel */
  answerCancelled(answer, channel) {
    if (!this.#stopped) this.#accept(answer)
    if (this.#isCurrent(channel)) this.options.conversation.link.answerCancelled(answer)
  }

  /**
   * Answers work of the host: on the connection that waits for the answer, else by a note.
   * @param {{ id: string, transcript: string, commentary?: string, thinking?: string, held?: import('toolgate').HeldResult[] }} work
   *   `commentary`: what is said; `held`: the results of what was done, which the words are about
   * @param {Channel | null} channel that the work came on; null: from the user directly
   */
  answerDelegation({ id, transcript, held = [], ...texts }, channel) {
    const { queue, conversation, guarded } = this.options
    const { link } = conversation
    const { commentary = '', thinking = '' } = texts
    const isSpoken = commentary !== ''
    const text = delegatedNote(transcript, `${thinking} ${commentary}`.trim())
    const onHeard = () => guarded(() => Promise.all(held.map(result => result.accept())))
    const note = { text, isSpoken, callId: id, ...(held.length > 0 && { isOffered: true, onHeard }) }
    /** @type {string[] | null} */
    let receipts = null
    if (channel === null && !this.#stopped && link.connection !== null) receipts = link.writeNote(commentary)
    else if (channel !== null && this.#isCurrent(channel)) receipts = link.answerDelegation?.(id, texts) ?? null
    if (receipts !== null) {
      queue.sent([note], { receipts, isAnswer: true })
      if (isSpoken) conversation.asked()
    } else if (transcript !== '') queue.add(note)
  }

  /**
   * Has the model speak about a note now; without a connection, once there is one.
   * @param {string} text @param {Answer} [answer] that the note reports
   */
  note(text, answer) {
    const { conversation } = this.options
    if (this.#stopped || conversation.link.connection === null) return this.noteWhenIdle(text, answer)
    conversation.stopForNote()
    this.#speak(this.#notesOf(text, answer))
  }

  /** @param {string} text @param {Answer} [answer] that the note reports */
  noteWhenIdle(text, answer) {
    for (const note of this.#notesOf(text, answer)) this.options.queue.add(note)
  }

  /** @param {string} text @param {Answer} [answer] */
  #notesOf(text, answer) {
    return answer === undefined ? [{ text, isSpoken: true }] : this.#ownNotes([answer], () => text)
  }

  /** Has the model say a text of the host once neither side speaks, however long that takes. @param {string} text */
  sayWhenIdle(text) {
    this.options.queue.add({ text: sayNote(text), isSpoken: true, isPatient: true })
  }

  /** @param {string} text */
  contextWhenIdle(text) {
    this.options.queue.add({ text, isSpoken: false })
  }

  /** Has the model ask a question again whose answer came at the wrong time. @param {string} token */
  askWhenIdle(token) {
    const { queue } = this.options
    if (!queue.waiting.some(({ question }) => question === token))
      queue.add({ text: '', isSpoken: true, question: token })
  }

  /** The user broke into a turn: what is only read for it is no longer said. @param {number} turn */
  brokeIn(turn) {
    this.#brokenTurns = [...this.#brokenTurns, turn].slice(-MAX_TURNS)
  }

  /** @param {import('../providers/provider-link.js').ParsedMessage} message of the provider */
  heard(message) {
    const { queue, conversation } = this.options
    for (const note of queue.heard(message)) if (this.#written.has(note)) conversation.link.rememberNote(note.text)
  }

  /** @param {{ isReceived: boolean }} sent the client has received all frames */
  stop({ isReceived }) {
    this.#stopped = true
    this.#results.abort()
    if (!isReceived) this.options.queue.forgetShown(this.#shown)
    this.options.queue.detach(this.outlet)
  }

  async #takeResults() {
    const { session } = this.options
    for await (const result of session.results({ signal: this.#results.signal })) this.#ended(result)
  }

  /** A call has ended that was answered early, or whose attachment has left. @param {import('toolgate').BackgroundResult} result */
  #ended(result) {
    const { queue, conversation, guarded } = this.options
    const { toolId: name, callId: id, response } = result
    // The model has made the call again: that run answers it, and accepts what is held of it.
    if (id !== null && conversation.runner.runs(id)) return
    const answer = { id, name, result: response }
    if (id === null || this.showing(id)) conversation.runner.endedLater(answer)
    const isSilent = this.#isSilent(result)
    queue.add({
      text: resultNote(name, response, this.meta),
      isSpoken: !isSilent,
      isPatient: true,
      isOffered: true,
      isEnd: true,
      callId: id,
      later: { ...answer, scheduling: isSilent ? 'SILENT' : 'WHEN_IDLE' },
      onHeard: () => guarded(() => result.accept()),
    })
  }

  /** What a turn read that the user broke into is not spoken about; a write, or a failure, is. */
  #isSilent(/** @type {import('toolgate').BackgroundResult} */ { toolId, turn, response }) {
    const isRead = this.options.metadataOf(toolId)?.sideEffects !== 'writes'
    return isRead && response.ok && turn !== null && this.#brokenTurns.includes(turn)
  }

  /** @param {Channel} channel */
  #isCurrent(channel) {
    return !this.#stopped && channel === this.options.conversation.link.channel
  }

  /** @param {Note[]} notes @returns {Note[]} those that must wait for the end of what the model says about the others */
  #deliver(notes) {
    const { conversation } = this.options
    const [{ question, isSpoken }] = notes
    if (question !== undefined) return this.#askAgain(question, notes)
    const awaited = notes.filter(({ later }) => later !== undefined && conversation.link.awaits(later))
    const asNotes = notes.filter(note => !awaited.includes(note))
    if (awaited.length > 0) this.#answerAgain(awaited)
    else if (isSpoken) this.#speak(asNotes)
    else this.#sendContext(asNotes)
    return awaited.length > 0 ? asNotes : []
  }

  /** Gives the results of calls that the provider knows to run. @param {Note[]} notes */
  #answerAgain(notes) {
    this.#sendAnswers(
      notes,
      notes.flatMap(({ later }) => later ?? []),
    )
    if (notes[0].isSpoken) this.options.conversation.asked()
  }

  /** @param {Note[]} notes @param {Answer[]} answers */
  #sendAnswers(notes, answers) {
    const { queue, conversation } = this.options
    queue.sent(notes, { receipts: conversation.link.sendAnswers(answers), isAnswer: true })
  }

  /** @param {Note[]} notes */
  #sendContext(notes) {
    const { queue, conversation } = this.options
    conversation.link.sendContext(textOf(notes))
    queue.sent(notes, { receipts: [] })
  }

  /** @param {Note[]} notes */
  #speak(notes) {
    const { queue, conversation } = this.options
    conversation.asked()
    queue.sent(notes, { receipts: conversation.link.writeNote(textOf(notes)) })
    for (const note of notes) this.#written.add(note)
  }

  /** @param {string} token @param {Note[]} notes the question's */
  #askAgain(token, notes) {
    const readBack = this.options.conversation.confirmations.unasked(token)
    if (readBack === null) return []
    const isAskedHere = this.questionVoice.ask(token, readBack, {
      isOver: () => this.#stopped,
      onPutOff: () => this.askWhenIdle(token),
      onFailed: () => this.#haveSaid(token, readBack, notes),
    })
    if (!isAskedHere) this.#haveSaid(token, readBack, notes)
    return []
  }

  /** @param {string} token @param {string} readBack that the model says @param {Note[]} notes the question's */
  #haveSaid(token, readBack, notes) {
    const { conversation, queue } = this.options
    conversation.asked()
    const receipts = conversation.link.askAgain(readBack)
    conversation.confirmations.readBackSent(token)
    if (receipts) queue.sent(notes, { receipts, isAnswer: true })
  }
}

/** Whether it is what a call came to. @param {import('toolgate').ToolResponse} result */
const isEnd = result => (result.ok ? !result.meta.pending : result.error.type !== 'CONFIRMATION_REQUIRED')

/** @param {Note[]} notes */
const textOf = notes => notes.map(({ text }) => text).join('\n')
