// What an answer consists of so far: text and calls, in the order in which they are made. Protocols differ in how they
// show it, not in what it is.

import { randomUUID } from 'node:crypto'

const ARGUMENT_PIECES = 3
const CHARS_PER_TOKEN = 4

/**
 * @typedef {object} Part
 * @property {'text' | 'call'} kind
 * @property {number} index in the answer
 * @property {number} nth of its kind, from 0
 * @property {string} text what was said, or the arguments so far
 * @property {string} [id] of a call; absent where the scenario says so
 * @property {string} [name] of a call
 * @property {boolean} [cut] the answer ends inside of this call
 * @property {'in_progress' | 'completed' | 'incomplete'} status
 *
 * @typedef {object} Rendering shows a draft while it grows; each member is optional
 * @property {(part: Part) => void} [opened]
 * @property {(part: Part, piece: string) => void} [grew]
 * @property {(part: Part) => void} [closed]
 */

export class Draft {
  /** @type {Part[]} */
  parts = []
  /** @type {'stop' | 'length' | 'tool_calls' | 'content_filter' | null} as the scenario says */
  finishReason = null
  #open = null
  #rendering
  #idPrefix

  /**
   * @param {Rendering} [rendering]
   * @param {string} [idPrefix] of the calls' ids
   */
  constructor(rendering = {}, idPrefix = 'call_') {
    this.#rendering = rendering
    this.#idPrefix = idPrefix
  }

  /** @param {string} piece */
  say(piece) {
    const part = this.#open?.kind === 'text' ? this.#open : this.#begin({ kind: 'text' })
    this.#grow(part, piece)
  }

  /**
   * @param {import('./perform.js').RenderedCall[]} calls
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

  /** @param {boolean} isWhole whether nothing was left unsaid */
  end(isWhole) {
    this.#close(isWhole && this.#open?.cut !== true ? 'completed' : 'incomplete')
  }

  get callParts() {
    return this.parts.filter(({ kind }) => kind === 'call')
  }

  /** Why the answer ends, in the words of a scenario. */
  get reason() {
    return this.finishReason ?? (this.callParts.length > 0 ? 'tool_calls' : 'stop')
  }

  /** Whether the answer says all that it wanted to. */
  get isWhole() {
    return this.reason === 'stop' || this.reason === 'tool_calls'
  }

  get tokens() {
    return tokensOf(this.parts.map(({ text }) => text).join(''))
  }

  #begin(part) {
    this.#close(this.#open?.cut === true ? 'incomplete' : 'completed')
    const nth = this.parts.filter(({ kind }) => kind === part.kind).length
    this.#open = { index: this.parts.length, nth, text: '', status: 'in_progress', ...part }
    this.parts.push(this.#open)
    this.#rendering.opened?.(this.#open)
    return this.#open
  }

  #grow(part, piece) {
    part.text += piece
    this.#rendering.grew?.(part, piece)
  }

  #close(status) {
    const part = this.#open
    if (part === null) return
    this.#open = null
    part.status = status
    this.#rendering.closed?.(part)
  }
}

/** An estimate, four characters a token. @param {string} text */
export function tokensOf(text) {
  return Math.ceil(text.length / CHARS_PER_TOKEN)
}

/** @param {string} prefix such as `call_` */
export function freshId(prefix) {
  return `${prefix}${randomUUID().replaceAll('-', '').slice(0, 24)}`
}

function argumentPieces(text) {
  const points = Array.from(text)
  const size = Math.max(1, Math.ceil(points.length / ARGUMENT_PIECES))
  return Array.from({ length: Math.ceil(points.length / size) }, (_, at) =>
    points.slice(at * size, (at + 1) * size).join(''),
  )
}
