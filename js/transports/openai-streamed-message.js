'use strict'
// One assistant message of Chat Completions, put together from the deltas of its chunks.
const { recordOf, listOf, textOf } = require('./frame-reading.js')

/** OpenAI allows 128 tools in a request; more calls in one message are no answer to it. */
const MAX_CALLS = 128
/** Far beyond what the gate takes: more is not collected, and the cut text is refused there. */
const MAX_ARGUMENT_CHARS = 16 * 1024 * 1024

class StreamedMessage {
  #byIndex = new Map()
  #calls = []
  #content = ''

  /** @param {unknown} delta `choices[0].delta` of a chunk */
  add(delta) {
    const { content, tool_calls: pieces } = recordOf(delta)
    this.#content += textOf(content) ?? ''
    for (const piece of listOf(pieces)) this.#addPiece(recordOf(piece))
  }

  /** What was put together, in the order in which calls began; the next message starts empty. */
  take() {
    const message = { calls: this.#calls, content: this.#content === '' ? null : this.#content }
    this.#byIndex = new Map()
    this.#calls = []
    this.#content = ''
    return message
  }

  #addPiece({ index, id, function: called }) {
    const call = this.#callAt(index, textOf(id))
    if (call === null) return
    const { name, arguments: text } = recordOf(called)
    call.id ??= textOf(id)
    call.name ??= textOf(name)
    const room = MAX_ARGUMENT_CHARS - call.args.length
    call.args += (textOf(text) ?? '').slice(0, room)
  }

  /** Compatible servers send whole calls without an index, or all under the same one: a new id is a new call. */
  #callAt(index, id) {
    const known = this.#byIndex.get(index)
    const begins = known === undefined || (id !== null && known.id !== null && id !== known.id)
    if (!begins) return known
    if (this.#calls.length >= MAX_CALLS) return null
    const call = { id, name: null, args: '' }
    this.#byIndex.set(index, call)
    this.#calls.push(call)
    return call
  }
}

module.exports = { StreamedMessage }
