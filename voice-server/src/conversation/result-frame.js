// The client's view of a call's result: its outcome, the records that it found, and what an approved call came to.

const MOST_SOURCES = 10

/**
 * @param {{ id: string | null, name: string, result: import('toolgate').ToolResponse }} answer
 * @param {{ title: string, requiresConfirmation?: boolean } | null} tool `null` for an unknown tool
 * @returns {import('../voice-types.js').ToolResultFrame}
 */
export function resultFrame({ id, name, result }, tool) {
  /** @type {import('../voice-types.js').ToolResultFrame} */
  const frame = {
    type: 'toolResult',
    id,
    name,
    title: tool?.title ?? name,
    ok: result.ok,
    durationMs: result.meta.duration,
    // Where its user has changed it.
    ...(result.meta.edited && { edited: result.meta.edited }),
  }
  if (result.meta.pending) return { ...frame, pending: true }
  if (!result.ok) {
    const { type, message, details } = result.error
    const isLost = /** @type {any} */ (details)?.outcome === 'unknown'
    return { ...frame, errorType: type, message, ...(isLost && { outcome: /** @type {const} */ ('unknown') }) }
  }
  const sources = sourcesOf(result.data)
  return {
    ...frame,
    ...(sources.length > 0 && { sources }),
    // The user approved exactly this call: its result is theirs to see.
    ...(tool?.requiresConfirmation && result.data !== undefined && { data: result.data }),
  }
}

/** The records of a retrieval tool's result: one record, or `results`. @param {any} data of any tool */
function sourcesOf(data) {
  if (typeof data !== 'object' || data === null) return []
  const records = Array.isArray(data.results) ? data.results : [data]
  return records.slice(0, MOST_SOURCES).flatMap((/** @type {any} */ record) => {
    const { id, url, title } = record ?? {}
    const key = typeof id === 'string' ? id : url
    if (typeof key !== 'string' || typeof title !== 'string') return []
    return [{ id: key, title, url: typeof url === 'string' && /^https?:/.test(url) ? url : null }]
  })
}
