'use strict'

// A transport of the SDK's client for programs that speak MCP on their standard streams, with bounds: the size of a message,
// what is sent without a request, and the error output. A server that breaks one is stopped.

const { existsSync } = require('node:fs')
const { StringDecoder } = require('node:string_decoder')

const { messageOf } = require('../values/foreign.js')
const { MessageMeter, tooLarge } = require('./message-meter.js')
const { NotSent } = require('./not-sent.js')
const { ProcessGroup } = require('./process-group.js')

/** @typedef {import('@modelcontextprotocol/client').JSONRPCMessage} Message */
/**
 * @typedef {object} StdioProgram
 * @property {string} command
 * @property {string[]} [args]
 * @property {Record<string, string>} env the whole environment of the program
 * @property {string} [cwd]
 */
/**
 * @typedef {object} StdioOptions
 * @property {Pick<import('./types.js').SourceLimits, 'messageBytes' | 'unaskedPerSecond' | 'stderrBytes'>} limits
 * @property {(text: string) => void} [onStderr]
 */

const NEWLINE = 0x0a
/** The time from the end of a program's input to its own. */
const END_OF_PROGRAM_MS = 200

class BoundedStdio {
  #program
  #limits
  #onStderr
  #meter
  /** @type {ProcessGroup | undefined} */
  #group
  /** The bytes of the message that arrives. @type {Buffer[]} */
  #parts = []
  #bytes = 0
  #stderrBytes = 0
  /** The line of the error output that arrives. */
  #stderrLine = ''
  #stderrDecoder = new StringDecoder()
  #isClosed = false

  /** @type {((message: Message) => void) | undefined} */
  onmessage
  /** @type {((error: Error) => void) | undefined} */
  onerror
  /** @type {(() => void) | undefined} */
  onclose
  /** Why it closed: the bound that the server broke, or how the program ended. @type {string | undefined} */
  fault
  /** The SDK recognizes a program by this member and `pid`. */
  stderr = null

  /** @param {StdioProgram} program @param {StdioOptions} options */
  constructor(program, { limits, onStderr }) {
    this.#program = program
    this.#limits = limits
    this.#onStderr = onStderr
    this.#meter = new MessageMeter(limits.unaskedPerSecond)
  }

  get pid() {
    return this.#group?.pid ?? null
  }

  /** @returns {Promise<void>} */
  async start() {
    const { command, args = [], env, cwd } = this.#program
    // Node would say that the program is missing.
    if (cwd !== undefined && !existsSync(cwd)) throw new Error(`the folder \`${cwd}\` does not exist`)
    const group = new ProcessGroup(command, args, cwd === undefined ? { env } : { env, cwd })
    this.#group = group
    const { child } = group
    child.stdout.on('data', chunk => this.#read(chunk))
    // Always drained: a server blocks on a full pipe.
    child.stderr.on('data', chunk => this.#keepStderr(chunk))
    // A program that ends closes its input first: how it ended says more.
    child.stdin.on('error', error => {
      setTimeout(() => this.#fail(`it does not read its input: ${error.message}`), END_OF_PROGRAM_MS).unref()
    })
    child.on('close', (code, signal) => this.#ended(code, signal))
    await new Promise((resolve, reject) => {
      child.once('spawn', () => resolve(undefined))
      child.once('error', reject)
    })
    this.#hold()
  }

  /** @param {Message} message */
  async send(message) {
    const stdin = this.#group?.child.stdin
    if (this.#isClosed || stdin === undefined) throw new NotSent('the connection is closed')
    this.#meter.sent(message)
    this.#hold()
    stdin.write(`${JSON.stringify(message)}\n`)
  }

  async close() {
    if (this.#isClosed) return
    const child = this.#group?.child
    // Nothing more of it is read, and it must not block on a full pipe while it ends.
    child?.stdout.removeAllListeners('data')
    child?.stdout.resume()
    this.#group?.end()
    this.#group?.hold(false)
    this.#gone()
  }

  /** @param {number | null} code @param {string | null} signal */
  #ended(code, signal) {
    if (this.#stderrLine !== '') this.#tellStderr('\n')
    if (!this.#isClosed)
      this.fault ??= signal === null ? `the program ended with code ${code}` : `the program was ended by ${signal}`
    this.#gone()
  }

  /** @param {Buffer} chunk */
  #read(chunk) {
    let from = 0
    while (!this.#isClosed && from <= chunk.length) {
      const end = chunk.indexOf(NEWLINE, from)
      const part = chunk.subarray(from, end === -1 ? chunk.length : end)
      this.#bytes += part.length
      if (this.#bytes > this.#limits.messageBytes) return this.#fail(tooLarge(this.#limits.messageBytes))
      this.#parts.push(part)
      if (end === -1) return
      this.#line()
      from = end + 1
    }
  }

  #line() {
    const text = Buffer.concat(this.#parts).toString()
    this.#parts = []
    this.#bytes = 0
    if (text.trim() === '') return
    const { message, problem, ends } = this.#judged(text)
    if (ends) return this.#fail(/** @type {string} */ (problem))
    if (problem !== undefined) this.onerror?.(new Error(`the server sent ${problem}`))
    if (message !== undefined) this.#deliver(message)
    this.#hold()
  }

  /** @param {string} text */
  #judged(text) {
    let value
    try {
      value = JSON.parse(text)
    } catch {
      return this.#meter.unreadable('a line that is not JSON')
    }
    return this.#meter.received(value)
  }

  /** @param {Message} message */
  #deliver(message) {
    try {
      this.onmessage?.(message)
    } catch (error) {
      // The request that it answers would wait for ever.
      this.#fail(`a message that can't be read: ${messageOf(error)}`)
    }
  }

  /** @param {Buffer} chunk */
  #keepStderr(chunk) {
    const left = this.#limits.stderrBytes - this.#stderrBytes
    this.#stderrBytes += chunk.length
    if (left > 0) this.#tellStderr(this.#stderrDecoder.write(chunk.subarray(0, left)))
  }

  /** In whole lines: a secret that comes in two pieces would not be found. @param {string} text */
  #tellStderr(text) {
    const said = this.#stderrLine + text
    const end = said.lastIndexOf('\n') + 1
    this.#stderrLine = said.slice(end)
    if (end > 0) this.#onStderr?.(said.slice(0, end))
  }

  /** Only a request that waits keeps this process alive. */
  #hold() {
    if (!this.#isClosed) this.#group?.hold(this.#meter.isWaiting)
  }

  /** @param {string} reason */
  #fail(reason) {
    if (this.#isClosed) return
    this.fault = reason
    this.onerror?.(new Error(`the server is stopped: ${reason}`))
    void this.close()
  }

  #gone() {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#parts = []
    this.onclose?.()
  }
}

module.exports = { BoundedStdio }
