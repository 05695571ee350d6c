// What the model of a synthetic conversation says: messages with calls. A protocol's generator makes events of them.
//
// An event is a frame with its facts: what the frame means by the protocol's document, about which call. Mutations change frames
// and their order. The facts stay with a frame, so the oracle knows where each part came from when no label reports.

/**
 * @typedef {import('../../../fuzz/random.cjs').Random} Random
 * @typedef {{ id: string, name: string, args: string, item: string, message: string }} Call `args`: the JSON text that the model wrote
 * @typedef {{ id: string, calls: Call[], text: string }} Message
 * @typedef {{ kind: 'begin' | 'end' | 'error' | 'reason' | 'named' | 'piece' | 'whole' | 'listed', call?: Call, text?: string,
 *   word?: string }} Fact
 *   `named`: the call begins; `piece`: of its arguments; `whole`: its arguments, complete; `listed`: in a list that says all
 * @typedef {{ frame: any, facts: Fact[], form?: 'object' | 'text' | 'bytes' | 'cut' }} WireEvent
 */

const TEXTS = [
  '',
  'Let me look. ',
  '👩‍🚀 "quotes" \\ ',
  '\ud83d\ude00',
  '}{][',
  '{"a":1}',
  '\u2028\n\t',
  'ключ',
  '[DONE]',
]
const HOSTILE_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
const ID_STYLES = ['random', 'random', 'random', 'number', 'constant', 'name', 'hostile']

export class Conversation {
  #count = 0

  /** @param {Random} random */
  constructor(random) {
    this.random = random
    this.idStyle = random.pick(ID_STYLES)
    this.sharesNames = random.chance(0.15)
  }

  /** @returns {Message[]} */
  messages() {
    return this.random.times(1, 3, () => this.#message())
  }

  #message() {
    const id = `msg_${this.#digits()}${(this.#count += 1)}`
    const most = this.random.pick([1, 1, 2, 3, 5])
    return { id, calls: this.random.times(0, most, () => this.#call(id)), text: this.random.pick(TEXTS) }
  }

  /** @param {string} message @returns {Call} */
  #call(message) {
    const number = (this.#count += 1)
    const isHostile = this.random.chance(0.05) && number <= HOSTILE_NAMES.length
    const name = isHostile ? HOSTILE_NAMES[number - 1] : this.sharesNames ? 'kb_search' : `tool_${number}_x`
    return {
      id: this.#callId(name, number),
      name,
      args: this.#args(number),
      item: `item_${this.#digits()}${number}`,
      message,
    }
  }

  /** @param {string} name @param {number} number */
  #callId(name, number) {
    switch (this.idStyle) {
      case 'number':
        return `call_${number % 3}`
      case 'constant':
        return 'ZsSt4SkIFMRz0HtqT7MTlimNvzlKM896'
      case 'name':
        return name
      case 'hostile':
        return this.random.pick(['__proto__', 'constructor'])
      default:
        return `call_${this.#digits()}x${number}`
    }
  }

  /** Arguments that no other call has, or none. @param {number} number */
  #args(number) {
    if (!this.sharesNames && this.random.chance(0.15)) return this.random.pick(['{}', ''])
    /** @type {Record<string, unknown>} */
    const args = { mark: number }
    const members = this.random.times(0, 3, () => this.random.pick(TEXTS))
    for (const [at, text] of members.entries()) args[`k${at}`] = at === 2 ? { list: [text, number] } : text
    if (this.random.chance(0.02)) args.long = 'long '.repeat(4000)
    return JSON.stringify(args)
  }

  #digits() {
    return (
      this.random
        .below(2 ** 32)
        .toString(16)
        .padStart(8, '0') + 'abcdefgh'
    )
  }
}

/** A text in pieces, at any UTF-16 unit. @param {Random} random @param {string} text @returns {string[]} */
export function pieces(random, text) {
  if (text.length > 1000) return [text.slice(0, 500), text.slice(500)]
  const size = random.pick([1, 2, 7, text.length + 1])
  const found = []
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size))
  return found
}

/** Several lists as one, in the order of each. @template T @param {Random} random @param {T[][]} lists @returns {T[]} */
export function interleaved(random, lists) {
  const left = lists.map(list => [...list]).filter(list => list.length > 0)
  const result = []
  while (left.length > 0) {
    const list = random.pick(left)
    result.push(/** @type {T} */ (list.shift()))
    if (list.length === 0) left.splice(left.indexOf(list), 1)
  }
  return result
}
