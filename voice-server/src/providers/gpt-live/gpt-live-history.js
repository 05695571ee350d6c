// The history that a GPT-Live session begins with: text only, the newest that fits.

/** The service takes 128 messages of 8,192 tokens in all. A token has at least a byte; each message has a frame. */
const [MOST_BYTES, FRAME_BYTES] = [8000, 32]
const ROLES = /** @type {const} */ ({ user: 'user', assistant: 'assistant', system: 'developer' })

/** A model that finds a request without an answer would have it done again. */
const WORKING = 'What the user has asked for last is being worked on. Its result follows: do not delegate it again.'

/**
 * @param {import('../conversation-memory.js').ConversationMemory} memory
 * @param {{ isBusy: boolean }} now whether work goes on
 * @returns {object[]} the oldest first
 */
export function historyOf({ entries }, { isBusy }) {
  let left = MOST_BYTES
  const known = isBusy ? [...entries, { role: /** @type {const} */ ('system'), text: WORKING }] : entries
  const fitting = known.toReversed().filter(({ text }) => (left -= Buffer.byteLength(text) + FRAME_BYTES) >= 0)
  return fitting.toReversed().map(({ role, text }) => ({
    type: 'message',
    role: ROLES[role],
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: text.trim() }],
  }))
}
