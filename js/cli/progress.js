'use strict'

// A line that says that something still goes on: only where it takes long, and only on a terminal.

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** What is done sooner needs no line. */
const PATIENCE_MS = 400
const FRAME_MS = 100
const ERASE_LINE = '\r\u001b[K'

/**
 * Shows `what` while the work lasts.
 * @template T
 * @param {string} what @param {Promise<T>} work
 * @param {{ stream?: NodeJS.WriteStream, patienceMs?: number }} [options]
 * @returns {Promise<T>}
 */
async function withProgress(what, work, { stream = process.stderr, patienceMs = PATIENCE_MS } = {}) {
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
  }, patienceMs)
  try {
    return await work
  } finally {
    clearTimeout(timeout)
    clearInterval(interval)
    if (frame > 0) stream.write(ERASE_LINE)
  }
}

module.exports = { withProgress }
