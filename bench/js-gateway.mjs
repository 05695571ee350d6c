// A tool-call gateway in plain JavaScript on Ajv: what Toolgate is measured against.
//
// It is written by someone who knows the contract, and does the same for a call that runs, is replayed, joined or refused:
// live session, known tool, arguments parsed and limited in size, idempotency by the provider's id or by content (100
// results per session, running calls joined, one id with other arguments is CONFLICT), mode, loop guard, budgets per turn,
// rate limits, defaults, validation with all findings, the question to the user if one is due, a deadline and a signal for
// the handler, its result checked and capped, an audit line, and a ToolResponse 1.0.0 with the same meta as JSON text. How
// each of these is done is its way's choice: `ways.mjs` has the naive one and the optimised one.
//
// What it does not do, and Toolgate does: answers to the user's questions, roles, services, clamps, strict nulls, retries,
// cancellation, `resultSchema`, applying intents, metrics, latency warnings, a store that outlives the process;
// limits on nesting, lone surrogates in arguments; the nearest tool's name on NOT_FOUND; giving an id-less call and its
// twin with an id one record; remembering that an evicted write has run. Its records hold arguments, its patterns can
// backtrack without bound, and large arguments are read on the event loop. Each of these would make it slower, not faster.
import { randomBytes } from 'node:crypto'

import { Audit } from './js-gateway/audit.mjs'
import { contentKey, idempotencyKey, isStable } from './js-gateway/call-key.mjs'
import { compileTool, completeAndValidate, createAjv } from './js-gateway/compiled-tool.mjs'
import { failed, ofReturned, ofThrown, ofTimeout } from './js-gateway/handler-result.mjs'
import { Ledger } from './js-gateway/ledger.mjs'
import { LoopGuard } from './js-gateway/loop-guard.mjs'
import { Questions } from './js-gateway/questions.mjs'
import { RateLimits } from './js-gateway/rate-limits.mjs'
import { HandlerContext, runHandler } from './js-gateway/run-handler.mjs'
import { optimised } from './js-gateway/ways.mjs'

const MODES = {
  text: { retrievalCalls: 5, totalCalls: 20, resultLimitBytes: 64 * 1024 },
  voice: { retrievalCalls: 2, totalCalls: 3, resultLimitBytes: 8 * 1024 },
  webcam: { retrievalCalls: 3, totalCalls: 6, resultLimitBytes: 16 * 1024 },
}

export class JsGateway {
  /**
   * @param {object} options
   * @param {{ version: string, tools: object[] }} options.artifact a compiled tool set
   * @param {Record<string, Function | { execute: Function }>} options.handlers by toolId
   * @param {{ maxArgsBytes?: number }} [options.limits]
   * @param {boolean} [options.checkSchemas] check the schemas against the meta-schema once more
   * @param {'copied' | 'in place'} [options.objectArgs] whether arguments that come as an object are copied, so that the
   *   caller's stays as it is, or used and filled with defaults if they are
   * @param {import('./js-gateway/ways.mjs').Way} [options.way]
   * @param {((line: string) => void) | null} [options.audit]
   */
  constructor({
    artifact,
    handlers,
    limits = {},
    checkSchemas = true,
    objectArgs = 'copied',
    way = optimised,
    audit = null,
  }) {
    const ajv = createAjv({ validateSchema: checkSchemas })
    this.version = artifact.version
    this.tools = new Map(artifact.tools.map(tool => [tool.toolId, compileTool(ajv, tool, handlers[tool.toolId])]))
    this.maxArgsBytes = limits.maxArgsBytes ?? 1024 * 1024
    this.copiesObjects = objectArgs === 'copied'
    this.way = way
    this.audit = new Audit(audit, randomBytes(32))
  }

  createSession(options) {
    return new JsSession(this, options)
  }
}

class JsSession {
  #gateway
  #ledger = new Ledger()
  #loops = new LoopGuard()
  #rates = new RateLimits()
  #questions = new Questions()
  #isAlive = true
  #begun = 0
  #used = { total: 0, retrieval: 0 }

  constructor(gateway, { sessionId, mode, policy = {}, services = {} }) {
    this.#gateway = gateway
    this.sessionId = sessionId
    this.mode = mode
    this.policy = { ...MODES[mode], ...policy }
    this.services = services
    this.view = Object.freeze({
      sessionId,
      mode,
      isActive: true,
      toolsVersion: gateway.version,
      state: Object.freeze({}),
    })
  }

  get turn() {
    return Math.max(this.#begun, 1)
  }

  async beginTurn() {
    if (this.#begun > 0)
      this.#gateway.audit.tell(this.sessionId, 'turn_summary', {
        turn: this.turn,
        calls: this.#used.total,
        retrievals: this.#used.retrieval,
      })
    this.#begun += 1
    this.#used = { total: 0, retrieval: 0 }
    return { turn: this.#begun, pendingMessage: null }
  }

  async end() {
    this.#isAlive = false
  }

  /**
   * Takes a call through the gate.
   * @param {{ id?: string | null, name: string, args?: string | Buffer | object | null }} toolCall
   * @returns {Promise<string>} the ToolResponse as JSON text; never rejects for what a model sent or a handler did
   */
  async executeText(toolCall) {
    const call = {
      id: toolCall.id ?? null,
      name: toolCall.name,
      turn: this.turn,
      arrived: performance.now(),
      tool: null,
      args: null,
      identity: null,
      key: null,
      record: null,
      defaulted: null,
      /** Whether the loop guard counts it. */
      guarded: true,
    }
    const refusal = this.#admit(call, Buffer.isBuffer(toolCall.args) ? toolCall.args.toString() : toolCall.args)
    if (refusal !== null) {
      this.#gateway.audit.refused(this, call, refusal)
      const meta = this.#meta(call)
      // A question is about the arguments that would run.
      if (refusal.confirmation_request && call.defaulted.length > 0) meta.defaulted = call.defaulted
      return this.#told(call, { head: failed(this.#gateway.way, refusal).head, meta })
    }
    return this.#told(call, await (call.record === null ? this.#start(call) : this.#again(call, call.record)))
  }

  /** The order of the gate. Returns the error that stops the call, or null where `call` has what is needed to go on. */
  #admit(call, args) {
    if (!this.#isAlive)
      return { type: 'SESSION_INACTIVE', message: 'the session has ended', details: { reason: 'ended' } }
    const tool = this.#gateway.tools.get(call.name)
    if (tool === undefined) return unknown(call.name)
    call.tool = tool
    const invalid = this.#parse(call, args)
    if (invalid) return invalid
    const known = this.#recall(call)
    if (known !== null || call.record !== null) return known
    if (!tool.modes.has(this.mode))
      return {
        type: 'MODE_RESTRICTED',
        message: `\`${tool.id}\` is not available in ${this.mode} mode`,
        suggestion: `it is available in: ${[...tool.modes].join(', ')}`,
      }
    const limited = this.#checkLoop(call) ?? this.#checkBudget(tool) ?? this.#checkRate(tool)
    if (limited) return limited
    const { defaulted, error } = completeAndValidate(tool, call.args)
    call.defaulted = defaulted
    return error ?? (tool.asks ? this.#ask(call) : null)
  }

  #checkRate(tool) {
    const retryAfterMs = this.#rates.wait(tool)
    if (retryAfterMs === 0) return null
    return {
      type: 'RATE_LIMIT',
      message: `\`${tool.id}\` is called too often; it can be called again in ${retryAfterMs} ms`,
      retryable: true,
      retryAfterMs,
      details: { limit: 'tool', per: 'session', ...tool.rateLimit },
    }
  }

  #ask({ tool, identity, args }) {
    const question = this.#questions.ask(tool, identity, args)
    return {
      type: 'CONFIRMATION_REQUIRED',
      message: `\`${tool.id}\` needs the user's confirmation and has not run: ${question.preview}`,
      suggestion: 'tell the user what will be done and wait for the answer',
      confirmation_request: question,
    }
  }

  /** Arguments as an object of this call's own, and what equal ones have in common. Writes `call.args` and `call.identity`. */
  #parse(call, args) {
    const { way, maxArgsBytes, copiesObjects } = this.#gateway
    const isObject = typeof args === 'object' && args !== null
    try {
      const text = isObject ? JSON.stringify(args) : args?.trim() || '{}'
      call.identity = text
      if (way.isLonger(text, maxArgsBytes)) return unreadable(`the arguments have more than ${maxArgsBytes} bytes`)
      if (isObject) call.args = copiesObjects ? way.copy(args, text) : args
      else call.args = JSON.parse(text) ?? {}
    } catch (problem) {
      return unreadable(`the arguments are not JSON: ${problem.message}`)
    }
    if (typeof call.args !== 'object' || Array.isArray(call.args))
      return unreadable('the arguments must be a JSON object')
    call.identity = way.identify(call.args, call.identity)
    return null
  }

  /** Finds the call's earlier record, or the key under which it will have one. Returns an error where it may not run. */
  #recall(call) {
    const { id, turn, tool } = call
    if (!isStable(id, tool.id)) {
      call.key = contentKey(this.#gateway.way, call)
      call.record = this.#ledger.find(call.key) ?? null
      return call.record === null ? null : this.#checkLoop(call)
    }
    call.key = `provider:${id}`
    let record = this.#ledger.find(call.key)
    if (record !== undefined && record.turn !== turn && !this.#isSame(record, call)) {
      call.key = `provider@${turn}:${id}`
      record = this.#ledger.find(call.key)
    }
    if (record === undefined) return null
    if (!this.#isSame(record, call)) {
      return {
        type: 'CONFLICT',
        message: `call id \`${id}\` was used in this turn with other arguments; a new call needs a new id`,
        details: { reason: 'call_id_reused' },
      }
    }
    call.record = record
    call.guarded = false
    return null
  }

  #checkLoop(call) {
    const pattern = this.#loops.check(call.turn, call.tool.id, call.identity)
    if (pattern === null) return null
    call.guarded = false
    return {
      type: 'LOOP_DETECTED',
      message: `\`${call.tool.id}\` was called again and again with the same outcome`,
      details: { pattern },
      suggestion: 'answer from what you have, or call with other arguments',
    }
  }

  #checkBudget(tool) {
    const { totalCalls, retrievalCalls } = this.policy
    const overTotal = this.#used.total >= totalCalls
    if (!overTotal && !(tool.retrieval && this.#used.retrieval >= retrievalCalls)) return null
    const [budget, limit] = overTotal ? ['total', totalCalls] : ['retrieval', retrievalCalls]
    return {
      type: 'BUDGET_EXCEEDED',
      message: `this turn's ${limit} ${budget} calls in ${this.mode} mode are used up`,
      details: { budget, limit },
      suggestion: 'answer from what you have, or go on in the next turn',
    }
  }

  /** The answer of an earlier call, waited for where that one still runs. */
  async #again(call, record) {
    const {
      head,
      meta: { callId, ...first },
    } = record.answer ?? (await record.running)
    this.#gateway.audit.replayed(this, call, record)
    return { head, meta: { ...first, ...this.#meta(call), _idempotent_cache_hit: true, _original_turn: record.turn } }
  }

  #start(call) {
    this.#used.total += 1
    if (call.tool.retrieval) this.#used.retrieval += 1
    this.#rates.count(call.tool)
    const record = this.#ledger.open(call.key, call.tool.id, call.identity, call.turn)
    record.running = this.#run(call, record)
    return record.running
  }

  async #run(call, record) {
    const { tool } = call
    const { way, audit } = this.#gateway
    const key = idempotencyKey(way, this.sessionId, tool.id, call.key)
    const end = await runHandler(tool, new HandlerContext(this, call.args, this.#handlerMeta(call, record, key), way))
    const outcome = this.#outcome(tool, end)
    const meta = this.#meta(call)
    meta.attempts = 1
    meta.idempotencyKey = key
    if (call.defaulted.length > 0) meta.defaulted = call.defaulted
    if (outcome.truncated) meta.truncated = outcome.truncated
    if (outcome.warnings?.length > 0) meta.warnings = outcome.warnings
    audit.executed(this, call, outcome, meta)
    const answer = { head: outcome.head, meta }
    const isKept = outcome.error === null || !outcome.error.retryable || outcome.error.partialSideEffects
    this.#ledger.settle(call.key, record, isKept ? answer : null)
    return answer
  }

  #handlerMeta({ tool, id }, record, key) {
    return {
      toolId: tool.id,
      version: tool.version,
      category: tool.category,
      callId: id,
      attempt: 1,
      idempotencyKey: key,
      deadline: tool.timeoutMs === false ? null : record.claimedAt + tool.timeoutMs,
      clamped: [],
    }
  }

  #outcome(tool, end) {
    const { way } = this.#gateway
    if ('timedOut' in end) return ofTimeout(way, tool)
    if ('thrown' in end) return ofThrown(way, tool, end.thrown)
    return ofReturned(way, tool, end.returned, tool.resultLimitBytes ?? this.policy.resultLimitBytes)
  }

  #meta(call) {
    const meta = {
      toolId: call.name,
      toolVersion: call.tool?.version ?? null,
      registryVersion: this.#gateway.version,
      duration: Math.round((performance.now() - call.arrived) * 1000) / 1000,
      timestamp: new Date().toISOString(),
      responseSchemaVersion: '1.0.0',
    }
    if (call.id !== null) meta.callId = call.id
    meta.mode = this.mode
    meta.turn = call.turn
    return meta
  }

  /** The answer as text. The loop guard hears of every call that it counts, refusals included. */
  #told(call, { head, meta }) {
    const { answer } = this.#gateway.way
    if (!call.guarded || call.identity === null) return answer.told(head, meta)
    const times = this.#loops.remember(call.turn, call.tool.id, call.identity, answer.outcome(head))
    if (times === 0) return answer.told(head, meta)
    const warnings = [...(meta.warnings ?? []), `this call has had the same outcome ${times} times in this turn`]
    return answer.told(head, { ...meta, warnings })
  }

  #isSame(record, call) {
    return record.tool === call.tool.id && this.#gateway.way.isSame(record.identity, call.identity)
  }
}

function unknown(name) {
  if (name === '') return { type: 'VALIDATION', message: 'the call has no tool name' }
  return { type: 'NOT_FOUND', message: `there is no tool \`${name.slice(0, 64)}\`` }
}

/** VALIDATION for what is not readable as arguments. */
function unreadable(message) {
  return {
    type: 'VALIDATION',
    message,
    details: [{ instancePath: '', schemaPath: '', keyword: 'json', params: {}, message }],
  }
}
