// How often a tool was called in a session, in a window that slides.

export class RateLimits {
  /** @type {Map<string, number[]>} when each tool's calls of its window were, oldest first */
  #calls = new Map()

  /** @returns {number} milliseconds until the tool may be called, 0 where it may be now */
  wait({ id, rateLimit }) {
    if (!rateLimit) return 0
    const calls = this.#calls.get(id)
    if (calls === undefined) return 0
    const now = Date.now()
    while (calls.length > 0 && calls[0] + rateLimit.windowMs <= now) calls.shift()
    return calls.length < rateLimit.calls ? 0 : calls[0] + rateLimit.windowMs - now
  }

  count({ id, rateLimit }) {
    if (!rateLimit) return
    const calls = this.#calls.get(id)
    if (calls === undefined) this.#calls.set(id, [Date.now()])
    else calls.push(Date.now())
  }
}
