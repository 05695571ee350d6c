// One JSON line per event, to a sink. The lines are those of Toolgate for the same event.
import { keyedHash } from './ways.mjs'

export class Audit {
  #sink
  #hash

  /** @param {((line: string) => void) | null} sink @param {string} key of the hashes of arguments */
  constructor(sink, key) {
    this.#sink = sink
    this.#hash = keyedHash(key)
  }

  tell(sessionId, event, facts) {
    this.#sink?.(JSON.stringify({ at: new Date().toISOString(), sessionId, event, ...facts }))
  }

  executed(session, call, { error, bytes }, meta) {
    if (this.#sink === null) return
    this.tell(session.sessionId, 'tool_execution', {
      ...factsOf(session, call),
      ok: error === null,
      errorType: error?.type,
      category: call.tool.category,
      duration: meta.duration,
      attempts: meta.attempts,
      idempotencyKey: meta.idempotencyKey,
      argsHash: this.#hash(call.identity),
      resultBytes: bytes,
      defaulted: call.defaulted?.length > 0 ? call.defaulted : undefined,
    })
  }

  replayed(session, call, record) {
    if (this.#sink === null) return
    const facts = { ...factsOf(session, call), originalTurn: record.turn, ageMs: Date.now() - record.claimedAt }
    this.tell(session.sessionId, 'tool_replayed', facts)
  }

  refused(session, call, error) {
    if (this.#sink === null) return
    const facts = factsOf(session, call)
    if (error.confirmation_request)
      this.tell(session.sessionId, 'confirmation_requested', { ...facts, expires: error.confirmation_request.expires })
    this.tell(session.sessionId, 'tool_refused', { ...facts, errorType: error.type, message: error.message })
  }
}

function factsOf(session, { name, tool, turn, id }) {
  return {
    toolId: name,
    toolVersion: tool?.version,
    registryVersion: session.view.toolsVersion,
    mode: session.mode,
    turn,
    callId: id ?? undefined,
  }
}
