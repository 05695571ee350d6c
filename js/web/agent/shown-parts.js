'use strict'

// The parts of an answer as its page gets them. What a model writes as a sensitive argument is for the handler alone.

/**
 * @typedef {import('./ui-stream.js').StreamPart} StreamPart
 * @typedef {import('toolgate').Session} Session
 */

/** The parts of a streamed answer, and the calls in it whose arguments the page does not get as they are. */
class ShownParts {
  /** The calls whose arguments may have sensitive values. @type {Set<unknown>} */
  #sensitive = new Set()
  /** Pieces of the arguments of calls whose tool is not known yet, by call. @type {Map<unknown, StreamPart[]>} */
  #held = new Map()
  /** The calls of an unknown name that the gate answers. @type {Set<unknown>} */
  #misnamed = new Set()
  #session
  #registry
  #declared

  /**
   * @param {Session} session
   * @param {Pick<import('toolgate').ToolRegistry, 'tools'>} registry
   * @param {Iterable<string>} declared the names of the gate's tools; others are unknown, or the app's own
   */
  constructor(session, registry, declared) {
    this.#session = session
    this.#registry = registry
    this.#declared = new Set(declared)
  }

  /** Notes that the gate answers a call, which may mean a tool of another name. @param {unknown} callId */
  answeredByGate(callId) {
    this.#misnamed.add(callId)
  }

  /** @param {StreamPart} part @returns {StreamPart[]} */
  of(part) {
    switch (part.type) {
      case 'tool-input-start':
        return this.#begun(part)
      case 'tool-input-delta':
        return this.#piece(part)
      case 'tool-input-available':
      case 'tool-input-error':
        return this.#whole(part)
      default:
        return [part]
    }
  }

  /** @param {StreamPart} part */
  #begun(part) {
    if (!this.#isOfGate(part)) this.#held.set(part.toolCallId, [])
    return [part]
  }

  /** A piece of text can't be masked. @param {StreamPart} part */
  #piece(part) {
    this.#held.get(part.toolCallId)?.push(part)
    return this.#held.has(part.toolCallId) || this.#sensitive.has(part.toolCallId) ? [] : [part]
  }

  /** @param {StreamPart} part */
  #whole(part) {
    const { type, toolCallId, toolName, input } = part
    const pieces = this.#held.get(toolCallId) ?? []
    this.#held.delete(toolCallId)
    const isUnknown = !this.#isOfGate(part) && (type === 'tool-input-error' || this.#misnamed.has(toolCallId))
    if (isUnknown) return [{ ...part, input: {} }]
    if (!this.#sensitive.has(toolCallId)) return [...pieces, part]
    return [{ ...part, input: this.#session.showArguments(String(toolName), input)?.args ?? {} }]
  }

  /** Whether the gate has a tool of this very name. @param {StreamPart} part */
  #isOfGate({ toolCallId, toolName }) {
    const name = String(toolName)
    const tool = this.#registry.tools.get(name)
    // A reload may have removed a tool that the session still has.
    if (tool === undefined ? this.#declared.has(name) : tool.sensitiveArguments !== undefined)
      this.#sensitive.add(toolCallId)
    return tool !== undefined || this.#declared.has(name)
  }
}

module.exports = { ShownParts }
