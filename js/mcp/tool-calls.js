'use strict'

// The calls of one MCP client, through one session of the gate. What may run, and what comes of it, is the gate's to say.

const { createHash, randomBytes } = require('node:crypto')

const { parsedArgs } = require('../json-text.js')
const { CallProgress } = require('./call-progress.js')
const { toCallResult } = require('./call-result.js')
const { Consent } = require('./consent.js')
const { Turns } = require('./turns.js')

/** JSON-RPC's code for what a request asks wrongly; MCP has it for unknown tools too. */
const INVALID_PARAMS = -32602
/** Why a call was cancelled, in its answer and in the audit: the client's own words could say anything. */
const TAKEN_BACK = 'the MCP client took the request back'

class ToolCalls {
  #session
  #declarations
  #turns
  #consent
  #heartbeatMs
  #progress
  /** Distinct from every other client's calls, and from this one's after it has come back as a new session. */
  #client = randomBytes(8).toString('hex')

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {Map<string, object>} options.declarations by name
   * @param {import('@modelcontextprotocol/sdk/server/index.js').Server} options.server
   * @param {Map<string, CallProgress>} options.progress where the session's listener finds who hears of a call, by its id
   * @param {number} [options.turnGapMs] @param {number} [options.heartbeatMs]
   */
  constructor({ session, declarations, server, progress, turnGapMs, heartbeatMs }) {
    this.#session = session
    this.#declarations = declarations
    this.#turns = new Turns({ gapMs: turnGapMs })
    this.#consent = new Consent(session, server)
    this.#progress = progress
    this.#heartbeatMs = heartbeatMs
  }

  /**
   * @param {{ name: string, arguments?: unknown, _meta?: object }} params of `tools/call`
   * @param {object} extra of the request, as the SDK gives it
   * @returns {Promise<object>} a CallToolResult; ignored if the request was cancelled
   * @throws with a JSON-RPC code, for what is no call of a tool
   */
  async call({ name, arguments: args, _meta }, extra) {
    const call = { id: this.#idOf(extra.requestId), name, args: parsedArgs(args) }
    const progress = new CallProgress(_meta?.progressToken, extra.sendNotification, this.#heartbeatMs)
    this.#progress.set(call.id, progress)
    const cancel = () => this.#session.cancel(call.id, TAKEN_BACK)
    extra.signal.addEventListener('abort', cancel, { once: true })
    try {
      const response = await this.#inTurn(call, extra)
      return response === undefined ? {} : this.#resultOf(name, response)
    } finally {
      extra.signal.removeEventListener('abort', cancel)
      this.#progress.delete(call.id)
      progress.stop()
    }
  }

  async #inTurn(call, extra) {
    let response
    try {
      await this.#turns.enter(this.#session)
      // Taken back before the gate has seen it: nothing is admitted, so nothing is recorded.
      if (!extra.signal.aborted) response = await this.#run(call, extra)
    } finally {
      this.#turns.leave(response)
    }
    return response
  }

  async #run(call, extra) {
    const response = await this.#session.execute(call)
    if (response.error?.type !== 'CONFIRMATION_REQUIRED') return response
    return this.#consent.resolve(call, response, extra)
  }

  #resultOf(name, response) {
    // The protocol's own answer; the gate has audited the call.
    if (response.error?.type === 'NOT_FOUND' && !this.#declarations.has(name)) throw unknownTool(response.error)
    return toCallResult(response, this.#declarations.get(name))
  }

  /**
   * The gate's id of a call. MCP's request ids are never used twice in a session, so one names a call: the same request that
   * arrives again, through a proxy that sends it twice, runs once. They are numbered afresh in each session, though, and the
   * gate takes short ids for renumbered ones: what makes them stable is the name of the client before them. A text of the
   * client's is digested: it may have any length, and hold what the gate takes for a placeholder.
   */
  #idOf(requestId) {
    const own =
      typeof requestId === 'number'
        ? String(requestId)
        : createHash('sha256').update(requestId).digest('hex').slice(0, 32)
    return `mcp_${this.#client}_${own}`
  }
}

const invalidParams = (message, data) =>
  Object.assign(new Error(message), { code: INVALID_PARAMS, ...(data && { data }) })

const unknownTool = ({ message, suggestion }) =>
  invalidParams(message, suggestion === undefined ? undefined : { suggestion })

module.exports = { ToolCalls, invalidParams }
