// The names under which a call is recorded, and what a handler may pass on as its idempotency key.

/** Whether a provider's id names this call and no other: some models number their calls afresh in each round. */
export function isStable(id, tool) {
  if (id == null || id.length <= 8 || id.includes('temp')) return false
  const bare = id.startsWith('functions.') ? id.slice('functions.'.length) : id
  return !(bare.startsWith(tool) && /^[:_][0-9]+$/.test(bare.slice(tool.length)))
}

/** For a call that no id identifies: equal arguments in one turn are one call. */
export function contentKey(way, { turn, tool, args, identity }) {
  return `hash:${turn}:${way.sha256(way.content(tool.id, turn, args, identity)).slice(0, 16)}`
}

/** Unique across sessions, stable over attempts. */
export function idempotencyKey(way, sessionId, tool, key) {
  return `tg_${way.sha256(JSON.stringify([sessionId, tool, key])).slice(0, 32)}`
}
