// A reader: posts to the web app's chat as its page does, and reads the stream.
import { randomUUID } from 'node:crypto'

export class TextTalk {
  #url
  #cookie = ''
  #messages = []

  /** @param {string} webUrl */
  constructor(webUrl) {
    this.#url = `${webUrl}/api/chat`
  }

  /** @returns {Promise<{ text: string, results: { toolName: string, output: any }[] }>} */
  async say(text) {
    this.#messages.push({ id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] })
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(this.#cookie ? { cookie: this.#cookie } : {}) },
      body: JSON.stringify({ messages: this.#messages }),
    })
    if (!response.ok) throw new Error(`the chat answered ${response.status}: ${await response.text()}`)
    this.#cookie =
      response.headers
        .getSetCookie()
        .map(cookie => cookie.split(';')[0])
        .join('; ') || this.#cookie
    const parts = readParts(await response.text())
    const said = parts
      .filter(part => part.type === 'text-delta')
      .map(part => part.delta)
      .join('')
    this.#messages.push({ id: randomUUID(), role: 'assistant', parts: [{ type: 'text', text: said }] })
    return { text: said, results: results(parts) }
  }
}

/** The JSON of each server-sent event. */
function readParts(body) {
  const lines = body.split('\n').filter(line => line.startsWith('data: ') && line !== 'data: [DONE]')
  return lines.map(line => JSON.parse(line.slice('data: '.length)))
}

function results(parts) {
  const names = new Map(parts.filter(part => part.toolName !== undefined).map(part => [part.toolCallId, part.toolName]))
  const ended = parts.filter(part => part.type === 'tool-output-available')
  return ended.map(part => ({ toolName: names.get(part.toolCallId), output: part.output }))
}
