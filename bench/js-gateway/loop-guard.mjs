// The loop guard's memory of one turn: what was called, and what came of it.

const WARN_AT = 3
const REFUSE_AT = 5
const ALTERNATIONS = 4
/** Calls remembered; bounded where a host lifts the budget. */
const REMEMBERED = 64

export class LoopGuard {
  #turn = 0
  #seen = []

  /** @returns {'repetition' | 'alternation' | null} the loop that this call would go on with */
  check(turn, tool, args) {
    this.#enter(turn)
    if (this.#mostAlike(tool, args) + 1 >= REFUSE_AT) return 'repetition'
    return this.#alternates(tool, args) ? 'alternation' : null
  }

  /** @returns {number} how often the call has had one outcome if it is time to warn, else 0 */
  remember(turn, tool, args, outcome) {
    this.#enter(turn)
    if (this.#seen.length === REMEMBERED) this.#seen.shift()
    this.#seen.push({ tool, args, outcome })
    const alike = this.#mostAlike(tool, args)
    return alike === WARN_AT ? alike : 0
  }

  #enter(turn) {
    if (this.#turn === turn) return
    this.#turn = turn
    this.#seen = []
  }

  /** The largest number of times that this call had one outcome. */
  #mostAlike(tool, args) {
    const recurring = this.#seen.filter(seen => isCall(seen, tool, args))
    if (recurring.length < WARN_AT) return 0
    const counts = new Map()
    for (const { outcome } of recurring) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    return Math.max(...counts.values())
  }

  /** Whether the call would complete the fourth round of A-B, each with its same outcome. */
  #alternates(tool, args) {
    const before = 2 * ALTERNATIONS - 1
    if (this.#seen.length < before || !isCall(this.#seen.at(-2), tool, args)) return false
    const tail = this.#seen.slice(-before)
    const [first, second] = tail
    if (isCall(first, tool, args)) return false
    return tail.every((seen, place) => {
      const expected = place % 2 === 0 ? first : second
      return isCall(seen, expected.tool, expected.args) && seen.outcome === expected.outcome
    })
  }
}

function isCall(seen, tool, args) {
  return seen.tool === tool && seen.args === args
}
