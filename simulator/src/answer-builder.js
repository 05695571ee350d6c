// Builds an answer from text and calls, in order. Protocols render the same parts differently.

import { randomUUID } from 'node:crypto'

/** @import { CallAction, FinishReason } from './scenario/types.js' */

const ARGUMENT_PIECES = 3
const CHARS_PER_TOKEN = 4

/**
 * @typedef {object} AnswerPart
 * @property {'text' | 'call'} kind
 * @property {number} index position in the answer
 * @property {number} nth position among the parts of its kind, from 0
 * @property {string} text the text, or the arguments so far
 * @property {string} [id] of a call; absent if the scenario omits it
 * @property {string} [name] of a call
 * @property {boolean} [cut] the answer ends inside this call
 * @property {'in_progress' | 'completed' | 'incomplete'} status
 *
 * @typedef {object} AnswerListener receives the parts while the answer grows; each member is optional
 * @property {(part: AnswerPart) => void} [opened]
 * @property {(part: AnswerPart, piece: string) => void} [grew]
 * @property {(part: AnswerPart) => void} [closed]
 */

export class AnswerBuilder {
  /** @type {AnswerPart[]} */
  parts = []
  /** @type {FinishReason | null} set by the scenario */
  finishReason = null
  /** @type {AnswerPart | null} */
  #open = null
  #listener
  #idPrefix

  /**
   * @param {AnswerListener} [listener]
   * @param {string} [idPrefix] of the calls' ids
   */
  constructor(listener = {}, idPrefix = 'call_') {
    this.#listener = listener
    this.#idPrefix = idPrefix
  }

  /** @param {string} piece */
  say(piece) {
    const part = this.#open?.kind === 'text' ? this.#open : this.#begin({ kind: 'text' })
    this.#grow(part, piece)
  }

  /**
   * @param {CallAction[]} calls rendered
   * @param {() => Promise<void>} pause between two pieces of arguments
   */
  async calls(calls, pause) {
    for (const { id = freshId(this.#idPrefix), name, args = {}, rawArgs, cut = false } of calls) {
      const part = this.#begin({ kind: 'call', ...(id === null ? {} : { id }), name, cut })
      for (const [index, piece] of argumentPieces(rawArgs ?? JSON.stringify(args)).entries()) {
        if (index > 0) await pause()
        this.#grow(part, piece)
      }
      if (!cut) this.#close('completed')
    }
  }

  /** @param {boolean} isWhole whether the answer is complete */
  end(isWhole) {
    this.#close(isWhole && this.#open?.cut !== true ? 'completed' : 'incomplete')
  }

  get callParts() {
    return this.parts.filter(({ kind }) => kind === 'call')
  }

  /** The scenario's finish reason. */
  get reason() {
    return this.finishReason ?? (this.callParts.length > 0 ? 'tool_calls' : 'stop')
  }

  /** Whether the answer is complete. */
  get isWhole() {
    return this.reason === 'stop' || this.reason === 'tool_calls'
  }

  get tokens() {
    return tokensOf(this.parts.map(({ text }) => text).join(''))
  }

  /** @param {Pick<AnswerPart, 'kind' | 'id' | 'name' | 'cut'>} part @returns {AnswerPart} */
  #begin(part) {
    this.#close(this.#open?.cut === true ? 'incomplete' : 'completed')
    const nth = this.parts.filter(({ kind }) => kind === part.kind).length
    this.#open = { index: this.parts.length, nth, text: '', status: 'in_progress', ...part }
    this.parts.push(this.#open)
    this.#listener.opened?.(this.#open)
    return this.#open
  }

  /** @param {AnswerPart} part @param {string} piece */
  #grow(part, piece) {
    part.text += piece
    this.#listener.grew?.(part, piece)
  }

  /** @param {AnswerPart['status']} status */
  #close(status) {
    const part = this.#open
    if (part === null) return
    this.#open = null
    part.status = status
    this.#listener.closed?.(part)
  }
}

/** Estimates tokens at four characters each. @param {string} text */
export function tokensOf(text) {
  return Math.ceil(text.length / CHARS_PER_TOKEN)
}

/** @param {string} prefix such as `call_` */
export function freshId(prefix) {
  return `${prefix}${randomUUID().replaceAll('-', '').slice(0, 24)}`
}

/** @param {string} text */
function argumentPieces(text) {
  const points = Array.from(text)
  const size = Math.max(1, Math.ceil(points.length / ARGUMENT_PIECES))
  return Array.from({ length: Math.ceil(points.length / size) }, (_, at) =>
    points.slice(at * size, (at + 1) * size).join(''),
  )
}
