// The host service `dashboard`: the registry's metrics, and counts of its audit events.

/** Event names are few; the limit keeps a faulty sink from exhausting the memory. */
const MOST_EVENTS = 100

/**
 * Counts audit events by name.
 *
 * @returns {{ count: (line: string) => void, counts: () => { since: string, events: Record<string, number> } }} `count`
 *   takes the lines that the registry's audit sink gets; a line that is not an event is ignored
 */
export function createAuditCounter() {
  const since = new Date().toISOString()
  const events = new Map()
  return {
    count(line) {
      const event = eventOf(line)
      if (event === null || (!events.has(event) && events.size >= MOST_EVENTS)) return
      events.set(event, (events.get(event) ?? 0) + 1)
    },
    counts: () => ({ since, events: Object.fromEntries([...events].sort(([one], [other]) => (one < other ? -1 : 1))) }),
  }
}

/** @param {string} line */
function eventOf(line) {
  try {
    const { event } = JSON.parse(line)
    return typeof event === 'string' && event.length <= 100 ? event : null
  } catch {
    return null
  }
}

/**
 * @param {object} options
 * @param {() => { getMetrics(): object }} options.registry a getter, because services are created before the registry
 * @param {{ counts(): object }} [options.audit] such as `createAuditCounter` makes; without it `audit` is null
 */
export function createDashboard({ registry, audit }) {
  if (typeof registry !== 'function') throw new TypeError('`registry` must be a function that gives the registry')
  return {
    /** @param {import('./service-types.js').RequestOptions} [options] */
    async getStats({ signal } = {}) {
      signal?.throwIfAborted()
      return { metrics: registry().getMetrics(), audit: audit?.counts() ?? null }
    },
  }
}
