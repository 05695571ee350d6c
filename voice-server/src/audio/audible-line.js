// A line that the server itself lets the user hear while the model is silent: a sound, or a sentence that the client speaks.

const RATE = 24_000
const SOUND_MS = 240
const AMPLITUDE = 0.06 * 0x7fff
/** Two soft notes. */
const NOTES_HZ = [523, 659]

/**
 * @typedef {'reconnecting' | 'thinking'} LineKind the connection to the model is restored; the model waits for a tool
 * @typedef {import('../../server.js').Lines} Lines
 */

/** @type {LineKind[]} */
const KINDS = ['reconnecting', 'thinking']

/** @type {Buffer} */
const DEFAULT_SOUND = softSound()

/**
 * @param {LineKind} kind
 * @param {Lines} lines of the host
 * @returns {{ text: string | null, pcm: Buffer | null } | null} null: nothing is to be heard
 */
export function audibleLine(kind, lines) {
  const line = lines[kind] ?? DEFAULT_SOUND
  if (line === false) return null
  return typeof line === 'string' ? { text: line, pcm: null } : { text: null, pcm: line }
}

/** @param {unknown} lines @returns {Lines} */
export function checkedLines(lines = {}) {
  for (const [kind, line] of Object.entries(/** @type {object} */ (lines))) {
    if (!KINDS.some(known => known === kind))
      throw new TypeError(`\`lines.${kind}\` is unknown; known: ${KINDS.join(', ')}`)
    const isSound = Buffer.isBuffer(line) && line.length > 0 && line.length % 2 === 0
    const isSentence = typeof line === 'string' && line.trim() !== ''
    if (!isSentence && line !== false && !isSound)
      throw new TypeError(`\`lines.${kind}\` must be a sentence, a Buffer of PCM16 or false`)
  }
  return /** @type {Lines} */ (lines)
}

function softSound() {
  const perNote = (RATE * SOUND_MS) / 1000 / NOTES_HZ.length
  const samples = NOTES_HZ.flatMap(hz =>
    Array.from(
      { length: perNote },
      (_, at) => AMPLITUDE * Math.sin((Math.PI * at) / perNote) * Math.sin((2 * Math.PI * hz * at) / RATE),
    ),
  )
  return Buffer.from(Int16Array.from(samples).buffer)
}

/**
 * The lines of `TOOLGATE_VOICE_FILLER`: `sound`, `off` or a sentence for the time in which the model waits for a tool.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Lines | undefined}
 */
export function linesOf(env) {
  const text = env.TOOLGATE_VOICE_FILLER
  if (!text?.trim() || /^sound$/i.test(text)) return undefined
  return { thinking: /^off$/i.test(text) ? false : text }
}
