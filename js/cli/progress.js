'use strict'

// A progress line, shown only for long work and only on a terminal.

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Shorter work shows no line. */
const DELAY_MS = 400
const FRAME_MS = 100
const ERASE_LINE = '\r\u001b[K'

/**
 * Shows `what` while the work lasts.
 * @template T
 * @param {string} what @param {Promise<T>} work
 * @param {{ stream?: NodeJS.WriteStream, delayMs?: number }} [options]
 * @returns {Promise<T>}
 */
async function withProgress(what, work, { stream = process.stderr, delayMs = DELAY_MS } = {}) {
  if (!stream.isTTY) return work
  const started = Date.now()
  let frame = 0
  let interval
  const draw = () => {
    const seconds = Math.floor((Date.now() - started) / 1000)
    stream.write(`${ERASE_LINE}${FRAMES[frame++ % FRAMES.length]} ${what}${seconds > 1 ? ` (${seconds} s)` : ''}`)
  }
  const timeout = setTimeout(() => {
    draw()
    interval = setInterval(draw, FRAME_MS)
  }, delayMs)
  try {
    return await work
  } finally {
    clearTimeout(timeout)
    clearInterval(interval)
    if (frame > 0) stream.write(ERASE_LINE)
  }
}

module.exports = { withProgress }
