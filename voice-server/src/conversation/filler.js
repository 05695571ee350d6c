// Decides when to send a `filler` frame: if a call is expected to exceed the tool's latency target, by the durations of
// the tool's earlier calls in this session, or has exceeded it. At most once per call, never after the call's end.

const MAX_SAMPLES = 20

/** Durations of one session's calls, by tool. */
export class LatencyHistory {
  /** @type {Map<string, number[]>} */
  #byTool = new Map()

  /** @param {import('toolgate').ToolResponse} response is counted only if a handler ran for it */
  add({ meta }) {
    const ran = (meta.attempts ?? 0) > 0 && !meta._idempotent_cache_hit && !meta.cached && !meta.pending
    if (!ran) return
    const measured = this.#byTool.get(meta.toolId) ?? []
    this.#byTool.set(meta.toolId, [...measured, meta.duration].slice(-MAX_SAMPLES))
  }

  /** @param {string} toolId @returns {number | null} median duration in milliseconds */
  median(toolId) {
    const measured = this.#byTool.get(toolId)?.toSorted((a, b) => a - b)
    return measured ? measured[measured.length >> 1] : null
  }
}

export class Filler {
  /** @type {Map<string, NodeJS.Timeout | undefined>} */
  #timers = new Map()

  /**
   * @param {object} options
   * @param {LatencyHistory} options.latencies
   * @param {(toolId: string) => { latencyBudgetMs: number, title: string } | null} options.metadataOf
   * @param {(frame: import('../voice-types.js').ServerFrame) => void} options.sendFrame
   * @param {Pick<import('./thinking.js').Thinking, 'begin' | 'end' | 'stop'>} [options.thinking] hears of all calls
   */
  constructor(options) {
    this.options = options
  }

  /** @param {{ id: string, name: string }} call that begins to run */
  begin({ id, name }) {
    this.options.thinking?.begin(id)
    const { latencies, metadataOf, sendFrame } = this.options
    const metadata = metadataOf(name)
    if (metadata === null || this.#timers.has(id)) return
    const expectedMs = latencies.median(name)
    const notify = () => sendFrame({ type: 'filler', id, name, title: metadata.title, expectedMs })
    const isSlow = expectedMs !== null && expectedMs > metadata.latencyBudgetMs
    if (isSlow) notify()
    this.#timers.set(id, isSlow ? undefined : setTimeout(notify, metadata.latencyBudgetMs))
  }

  /** @param {string} id @param {import('toolgate').ToolResponse} [response] */
  end(id, response) {
    this.options.thinking?.end(id)
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    if (response !== undefined) this.options.latencies.add(response)
  }

  stop() {
    this.options.thinking?.stop()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }
}
