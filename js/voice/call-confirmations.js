'use strict'

// The confirmations of a voice call: shown on the page, answered there, by voice, or in another place on the same session.

const { toResultNote } = require('../answers/result-note.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ConfirmationRequest} ConfirmationRequest
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('toolgate').ToolCall} ToolCall
 * @typedef {{ request: ConfirmationRequest, call: ToolCall, isAsked: boolean, isBeingAnswered: boolean }} Card `isAsked`: the
 *   model has ended a turn since, so that the user can have heard of it
 * @typedef {{ session: Session, consentOf: null | ((text: string) => 'yes' | 'no' | null),
 *   show(event: import('./index.js').VoiceEvent): void, inform(text: string): void }} Parts `inform`: the model
 */

class CallConfirmations {
  /** By token. @type {Map<string, Card>} */
  #cards = new Map()
  #parts
  #isPolling = false

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts
  }

  /** Those that an earlier connection has left. */
  async restore() {
    for (const { callId, tool: name, args, ...request } of await this.#parts.session.listPending())
      this.open({ tool: name, args, ...request }, { id: callId, name, args })
  }

  /** Shows a confirmation. A model that asks again for what is pending gives no second card. @param {ConfirmationRequest} request @param {ToolCall} call */
  open(request, call) {
    const { token, tool, preview, expires, approvers } = request
    if (token === undefined || this.#cards.has(token)) return
    this.#cards.set(token, { request, call, isAsked: false, isBeingAnswered: false })
    this.#parts.show({ type: 'confirmation', token, tool, preview, expires, ...(approvers && { approvers }) })
  }

  /** The model has ended its turn. */
  asked() {
    for (const card of this.#cards.values()) card.isAsked = true
  }

  /**
   * What the user's words answer: the only confirmation, if they are exactly a known phrase and the model has asked. A phrase can't
   * choose among several.
   * @param {string} text
   */
  answerIn(text) {
    const [only] = this.#cards
    if (this.#cards.size !== 1 || !only[1].isAsked) return null
    const consent = this.#parts.consentOf?.(text) ?? null
    return consent === null ? null : { token: only[0], isConfirmed: consent === 'yes' }
  }

  /** @param {string} token @param {boolean} isConfirmed */
  async answer(token, isConfirmed) {
    const card = this.#cards.get(token)
    // Approvers decide elsewhere; the user may withdraw the call.
    if (card === undefined || card.isBeingAnswered || (isConfirmed && card.request.approvers)) return
    card.isBeingAnswered = true
    try {
      if (isConfirmed) await this.#confirm(token, card)
      else {
        await this.#parts.session.deny(token)
        this.#close(token, card, null, 'denied')
      }
    } finally {
      card.isBeingAnswered = false
    }
  }

  /** @param {string} token @param {Card} card */
  async #confirm(token, card) {
    const { session, show } = this.#parts
    const response = await session.confirm(token)
    if (isNotPending(response)) return this.#closeElsewhere(token, card)
    const isOpen = !response.ok && (await session.listPending()).some(one => one.token === token)
    if (isOpen) show({ type: 'error', code: 'not_confirmed', token, message: response.error.message })
    else this.#close(token, card, response, 'confirmed')
  }

  /** Finds out what was answered in another place, such as a text chat on the same session. */
  async poll() {
    if (this.#cards.size === 0 || this.#isPolling) return
    this.#isPolling = true
    try {
      const shown = [...this.#cards]
      const pending = new Set((await this.#parts.session.listPending()).map(({ token }) => token))
      for (const [token, card] of shown) {
        if (pending.has(token) || card.isBeingAnswered || this.#cards.get(token) !== card) continue
        await this.#closeElsewhere(token, card)
      }
    } finally {
      this.#isPolling = false
    }
  }

  /** @param {string} token @param {Card} card */
  async #closeElsewhere(token, card) {
    // Of a call that has run: its result. It runs nothing.
    const response = await this.#parts.session.confirm(card.call)
    this.#close(token, card, isNotPending(response) ? null : response, 'elsewhere')
  }

  /**
   * @param {string} token @param {Card} card @param {ToolResponse | null} response null if the call has not run
   * @param {'confirmed' | 'denied' | 'elsewhere'} outcome
   */
  #close(token, { call }, response, outcome) {
    if (!this.#cards.delete(token)) return
    const { show, inform } = this.#parts
    show({ type: 'confirmationClosed', token, outcome })
    const note = response && toResultNote({ toolId: call.name, response })
    inform(note ?? `The user did not approve ${call.name}; it has not run.`)
  }
}

/** Whether the confirmation has expired, or was answered before. @param {ToolResponse} response */
const isNotPending = response => !response.ok && response.error.type === 'CONFIRMATION_EXPIRED'

module.exports = { CallConfirmations }
