// When a tool's silence needs filling: its call will take longer than the tool's latency target, going by what its calls took
// in this session, or takes longer already. Says so once per call, and nothing after the call's end.

const MEASURED = 20

/** What calls took in one session, tool by tool. */
export class Latencies {
  #byTool = new Map()

  /** @param {import('toolgate').ToolResponse} response counts where a handler ran for it */
  add({ meta }) {
    const ran = meta.attempts > 0 && !meta._idempotent_cache_hit && !meta.cached
    if (!ran) return
    const measured = this.#byTool.get(meta.toolId) ?? []
    this.#byTool.set(meta.toolId, [...measured, meta.duration].slice(-MEASURED))
  }

  /** @returns {number | null} milliseconds */
  median(toolId) {
    const measured = this.#byTool.get(toolId)?.toSorted((a, b) => a - b)
    return measured ? measured[measured.length >> 1] : null
  }
}

export class Filler {
  #timers = new Map()

  /**
   * @param {object} options
   * @param {Latencies} options.latencies
   * @param {(toolId: string) => { latencyBudgetMs: number, title: string } | null} options.metadataOf
   * @param {(frame: object) => void} options.tell
   */
  constructor(options) {
    this.options = options
  }

  /** @param {{ id: string, name: string }} call that begins to run */
  begin({ id, name }) {
    const { latencies, metadataOf, tell } = this.options
    const metadata = metadataOf(name)
    if (metadata === null || this.#timers.has(id)) return
    const expectedMs = latencies.median(name)
    const say = () => tell({ type: 'filler', id, name, title: metadata.title, expectedMs })
    const isSlow = expectedMs !== null && expectedMs > metadata.latencyBudgetMs
    if (isSlow) say()
    this.#timers.set(id, isSlow ? null : setTimeout(say, metadata.latencyBudgetMs))
  }

  /** @param {string} id @param {import('toolgate').ToolResponse} [response] */
  end(id, response) {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    if (response !== undefined) this.options.latencies.add(response)
  }

  stop() {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }
}
