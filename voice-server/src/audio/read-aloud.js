// A question in the host's voice.

const TIMEOUT_MS = 5000

/**
 * @param {string} text
 * @param {import('../voice-types.js').ReadAloud} readAloud
 * @param {{ mostBytes: number }} limits
 * @returns {Promise<Buffer>} PCM16, 24 kHz, mono; rejects if it is none, or comes too late
 */
export async function soundOf(text, readAloud, { mostBytes }) {
  const abort = new AbortController()
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const tooLate = new Promise((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`\`readAloud\` took more than ${TIMEOUT_MS} ms`))
      abort.abort()
    }, TIMEOUT_MS)
  })
  const reading = Promise.resolve().then(() => readAloud(text, { signal: abort.signal }))
  try {
    const sound = await Promise.race([reading, tooLate])
    if (!Buffer.isBuffer(sound) || sound.length === 0 || sound.length % 2 !== 0 || sound.length > mostBytes)
      throw new TypeError('`readAloud` must return a Buffer of PCM16, 24 kHz, mono, of at most 30 seconds')
    return sound
  } finally {
    clearTimeout(timer)
  }
}
