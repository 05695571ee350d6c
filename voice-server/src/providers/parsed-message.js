// A message of which nothing was read yet, and what readers of OpenAI's events have in common.

const KEPT = 64

/** @returns {import('./provider-link.js').ParsedMessage} */
export function nothing() {
  const [begun, over] = [
    {
      modelSpoke: false,
      userSpoke: false,
      utterance: null,
      userStopped: false,
      speechStopped: false,
      beginsTurn: false,
    },
    { interrupted: false, turnComplete: false, problem: null },
  ]
  return { audio: [], pieces: [], ...begun, ...over, receipts: [], refused: [], resumable: false, goAwayMs: null }
}

/**
 * Drops the oldest entry beyond the bound: a missing end event must not leak memory.
 * @param {Set<unknown> | Map<unknown, unknown>} entries
 */
export function bounded(entries) {
  if (entries.size > KEPT) entries.delete(entries.keys().next().value)
}
