// A caller: speaks the voice server's protocol and remembers what it heard.
import { once } from 'node:events'

import WebSocket from 'ws'

const PATIENCE_MS = 15_000

export class VoiceTalk {
  #socket
  #frames = []
  #heard = new Set()

  /** @param {string} url @param {{ sessionId: string, resumeToken: string }} [resume] */
  static async start(url, resume = {}) {
    const talk = new VoiceTalk()
    talk.#socket = new WebSocket(url)
    talk.#socket.on('message', (data, isBinary) =>
      talk.#hear(isBinary ? { type: 'audio', bytes: data.length } : JSON.parse(data)),
    )
    await once(talk.#socket, 'open')
    talk.#socket.send(JSON.stringify({ type: 'start', ...resume }))
    talk.started = await talk.#next(frame => frame.type === 'started' || frame.type === 'error')
    if (talk.started.type === 'error')
      throw new Error(`the voice server refused: ${talk.started.code} ${talk.started.message}`)
    return talk
  }

  /** Says something and waits until the model is done. @returns what it said and which calls were answered how */
  async say(text, id) {
    const from = this.#frames.length
    this.#socket.send(JSON.stringify({ type: 'text', text, id }))
    await this.#next(frame => frame.type === 'turnComplete' || frame.type === 'error' || frame.type === 'ended', from)
    const frames = this.#frames.slice(from)
    return {
      text: frames
        .filter(frame => frame.type === 'transcript' && frame.direction === 'output')
        .map(frame => frame.text)
        .join(''),
      results: frames.filter(frame => frame.type === 'toolResult'),
      audioBytes: frames.filter(frame => frame.type === 'audio').reduce((sum, frame) => sum + frame.bytes, 0),
    }
  }

  /** Loses the connection, as a phone in a tunnel does. */
  drop() {
    this.#socket.terminate()
  }

  async close() {
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #hear(frame) {
    this.#frames.push(frame)
    for (const listener of this.#heard) listener()
  }

  #next(fits, from = 0) {
    const look = () => this.#frames.slice(from).find(fits)
    return new Promise((resolve, reject) => {
      const found = look()
      if (found !== undefined) return resolve(found)
      const done = settle => {
        clearTimeout(timer)
        this.#heard.delete(listener)
        settle()
      }
      const listener = () => {
        const frame = look()
        if (frame !== undefined) done(() => resolve(frame))
      }
      const timer = setTimeout(
        () => done(() => reject(new Error(`the voice server did not answer within ${PATIENCE_MS} ms`))),
        PATIENCE_MS,
      )
      this.#heard.add(listener)
    })
  }
}
