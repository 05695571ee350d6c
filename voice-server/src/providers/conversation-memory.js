// A bounded transcript of a conversation, for a provider that loses it with the connection.

const ENTRIES = 40
const CHARS = 2000
const CHARS_TOTAL = 16_000

export class ConversationMemory {
  /** @type {{ role: 'user' | 'assistant' | 'system', text: string, key?: string }[]} the oldest first */
  entries = []

  /**
   * @param {'user' | 'assistant' | 'system'} role
   * @param {string} text
   * @param {string} [key] of an entry that grows by pieces
   */
  add(role, text, key) {
    if (text.trim() === '') return
    const known = key === undefined ? undefined : this.entries.find(entry => entry.key === key)
    if (known === undefined)
      this.entries.push({ role, text: text.slice(0, CHARS), ...(key === undefined ? {} : { key }) })
    else known.text = (known.text + text).slice(0, CHARS)
    this.#trim()
  }

  /**
   * Adds to the last entry if it is of the same side, else a new one: for fragments without ends.
   * @param {'user' | 'assistant'} role
   * @param {string} text
   */
  addTo(role, text) {
    const last = this.entries.at(-1)
    if (last?.role !== role || last.text.length + text.length > CHARS) return this.add(role, text)
    last.text += text
    this.#trim()
  }

  /** Shortens an assistant entry to the share that was heard. @param {string} key @param {number} share from 0 to 1 */
  cut(key, share) {
    const entry = this.entries.find(candidate => candidate.key === key)
    if (entry === undefined) return
    entry.text = `${entry.text.slice(0, Math.floor(entry.text.length * share))}…`
  }

  #trim() {
    let total = this.entries.reduce((sum, { text }) => sum + text.length, 0)
    while (this.entries.length > ENTRIES || total > CHARS_TOTAL) total -= this.entries.shift()?.text.length ?? 0
  }
}
