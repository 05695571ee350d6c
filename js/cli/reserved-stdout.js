'use strict'

// Standard output for a command's own answers: what handlers, libraries, threads and child processes write to its descriptor
// reaches standard error.

const { once } = require('node:events')
const fs = require('node:fs')
const { Socket } = require('node:net')
const { Writable } = require('node:stream')

/**
 * Reserves standard output for what the command itself writes. Must be called before any code of the tools is loaded.
 * @returns {{ stream: Writable, broken: Promise<void> }} `broken`: the reader is gone
 */
function takeStdout() {
  const fd = require('../../native.js').takeStandardOutput()
  const stream = fd === null ? streamOfStdout() : streamOf(fd)
  for (const output of [process.stdout, process.stderr]) {
    // Replaces the handler that ends a command on a closed pipe: calls are running, and they are served without
    // standard error.
    output.removeAllListeners('error')
    output.on('error', () => {})
  }
  const broken = once(stream, 'error').then(
    () => {},
    () => {},
  )
  return { stream, broken }
}

/** What was standard output; its descriptor is standard error's now. @param {number} fd @returns {Writable} */
function streamOf(fd) {
  // Node's `realpathSync` reads the type of the last plain `stat` of the process and stops at a pipe: a linked package would then
  // be imported by its link, as another module. The stats with big integers are kept elsewhere.
  const kind = fs.fstatSync(fd, { bigint: true })
  return kind.isFIFO() || kind.isSocket()
    ? new Socket({ fd, readable: false, writable: true })
    : fs.createWriteStream('', { fd })
}

/** Where the descriptor stays standard output, only what JavaScript prints is redirected. @returns {Writable} */
function streamOfStdout() {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  // `console` writes through this function, too.
  stdout.write = (...written) => stderr.write(.../** @type {Parameters<typeof stderr.write>} */ (written))
  return new Writable({ decodeStrings: false, write: (chunk, encoding, done) => write(chunk, encoding, done) })
}

/** Resolves when the last answer is written. @param {Writable} stream @returns {Promise<void>} */
const flushed = stream =>
  new Promise(resolve => {
    if (stream.destroyed) resolve()
    else stream.write('', () => resolve())
  })

module.exports = { flushed, takeStdout }
