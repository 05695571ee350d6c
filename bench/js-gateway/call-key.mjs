// The names under which a call is recorded, and what a handler may pass on as its idempotency key.
import { hash } from 'node:crypto'

import { canonicalJson } from './canonical-json.mjs'

/** Whether a provider's id names this call and no other: some models number their calls afresh in each round. */
export function isStable(id, tool) {
  if (id == null || id.length <= 8 || id.includes('temp')) return false
  const bare = id.startsWith('functions.') ? id.slice('functions.'.length) : id
  return !(bare.startsWith(tool) && /^[:_][0-9]+$/.test(bare.slice(tool.length)))
}

/** For a call that no id tells apart: equal arguments in one turn are one call. */
export function contentKey(turn, tool, args) {
  return `hash:${turn}:${hash('sha256', canonicalJson({ args, tool, turn })).slice(0, 16)}`
}

/** Unique across sessions, stable over attempts. */
export function idempotencyKey(sessionId, tool, key) {
  return `tg_${hash('sha256', JSON.stringify([sessionId, tool, key])).slice(0, 32)}`
}

/** Whether two argument texts, both valid JSON, ask for the same. Equal text is the usual case and costs least. */
export function sameArguments(one, other) {
  return one === other || canonicalJson(JSON.parse(one)) === canonicalJson(JSON.parse(other))
}
