'use strict'
// The delegations of a GPT-Live session to the application. Their events have an id and a place on the session's timeline, and no
// text: what is asked for is in the transcript of the user's words, which come in pieces, in part after the delegation.
//
// Source: `resources/live` of the `openai` package 7.57, and OpenAI's guide to delegation in GPT-Live.
const { copyOf, idOf, recordOf, textOf } = require('../shared/frame-reading.js')
const { shortened } = require('../shared/problems.js')
const { RecentMap } = require('../shared/recent-map.js')

/** The delegations that are remembered at least, and the longest transcript of each. */
const [KEPT, MAX_TRANSCRIPT_LENGTH] = [256, 8192]
/** The longest conversation that is kept, in lines and in characters of a line. */
const [MAX_LINES, MAX_LINE_LENGTH] = [64, 2048]
/** Those that the service works on itself. */
const TARGETS_OF_SERVICE = ['responses', 'decisions']

/**
 * @typedef {import('../shared/event-object.js').Message} Message
 * @typedef {import('../message-transport.js').ReadResult} ReadResult
 * @typedef {{ id: string, transcript: string, offsetMs: number | null, isAnswered: boolean }} KnownDelegation
 */

class LiveDelegations {
  /** @type {RecentMap<string, KnownDelegation>} */
  #known = new RecentMap(KEPT)
  /** @type {KnownDelegation | null} */
  #latest = null
  /** The user's words since the latest delegation. */
  #words = ''
  /** @type {import('../openai-live-transport.js').ConversationLine[]} */
  #lines = []

  /** What was said last, each side's pieces joined. */
  get conversation() {
    return this.#lines.map(line => ({ ...line }))
  }

  /** @param {Message} event @param {ReadResult} result */
  create({ delegation, offset_ms: offset }, { delegations, problems }) {
    const { id: value, target } = recordOf(delegation)
    if (TARGETS_OF_SERVICE.includes(/** @type {string} */ (target))) return
    const id = idOf(value)
    if (target !== 'client') problems.push(`a delegation to ${quoted(target)} is not given`)
    else if (id === null) problems.push("a delegation without `id` is not given: it can't be answered")
    else if (!this.#known.has(id)) delegations.push(this.#begin(id, typeof offset === 'number' ? offset : null))
  }

  /** @param {string} id @param {number | null} offsetMs */
  #begin(id, offsetMs) {
    const known = { id, transcript: this.#words.trim(), offsetMs, isAnswered: false }
    this.#words = ''
    this.#latest = known
    this.#known.set(id, known)
    return { id, transcript: known.transcript, offsetMs }
  }

  /** @param {Message} event `session.input_transcript.delta` */
  hear({ delta, start_ms: start }) {
    const text = textOf(delta)
    if (text === null) return
    this.#addLine('user', text)
    const latest = this.#latest
    // Words from before the latest delegation that were transcribed after it are its words.
    const isLate = latest !== null && latest.offsetMs !== null && typeof start === 'number' && start < latest.offsetMs
    if (isLate) latest.transcript = endOf(latest.transcript + text, MAX_TRANSCRIPT_LENGTH)
    else this.#words = endOf(this.#words + text, MAX_TRANSCRIPT_LENGTH)
  }

  /** @param {Message} event `session.output_transcript.delta` */
  say({ delta }) {
    const text = textOf(delta)
    if (text !== null) this.#addLine('assistant', text)
  }

  /** The delegation's words, with those that came after it. @param {string} id */
  transcriptOf(id) {
    return this.#known.get(id)?.transcript.trim() ?? ''
  }

  /** @param {string} id */
  has(id) {
    return this.#known.has(id)
  }

  /** Whether a delegation was given and has no final answer. @param {string} id */
  awaits(id) {
    return this.#known.get(id)?.isAnswered === false
  }

  /** @param {string} id */
  close(id) {
    const known = this.#known.get(id)
    if (known !== undefined) known.isAnswered = true
  }

  /** @param {'user' | 'assistant'} role @param {string} text */
  #addLine(role, text) {
    const last = this.#lines.at(-1)
    if (last?.role === role) last.text = endOf(last.text + text, MAX_LINE_LENGTH)
    else this.#lines.push({ role, text: endOf(text, MAX_LINE_LENGTH) })
    this.#lines.splice(0, this.#lines.length - MAX_LINES)
  }
}

/** The end of a text: what was said last. @param {string} text @param {number} length */
const endOf = (text, length) =>
  text.length > length ? copyOf(text.slice(-length)).replace(/^[\uDC00-\uDFFF]/, '') : text

/** @param {unknown} target */
const quoted = target => (typeof target === 'string' ? `\`${shortened(target, 40)}\`` : 'no target')

module.exports = { LiveDelegations }
