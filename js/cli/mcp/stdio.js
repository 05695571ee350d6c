'use strict'

// Serves MCP over standard input and output. Standard output is reserved for the protocol: what handlers, libraries,
// threads and child processes write to its descriptor reaches standard error.

const { once } = require('node:events')
const fs = require('node:fs')
const { Socket } = require('node:net')
const { Writable } = require('node:stream')

const native = require('../../../native.js')
const { createMcpServer } = require('../../mcp/mcp-server.js')
const { sdk } = require('../../mcp/sdk.js')

/**
 * Reserves standard output for the protocol. Must be called before any code of the tools is loaded.
 * @returns {{ stream: Writable, broken: Promise<void> }} `broken`: the reader is gone
 */
function takeStdout() {
  const fd = native.takeStandardOutput()
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

/**
 * Serves one client.
 * @param {import('toolgate').ToolRegistry} registry
 * @param {{ stream: Writable, broken: Promise<void> }} stdout from `takeStdout`
 * @param {import('../../mcp/index').McpServerOptions & { onError(error: Error): void }} options
 * @returns {Promise<{ ended: Promise<void>, close(): Promise<void> }>} `ended`: the client has gone
 */
async function serveStdio(registry, { stream, broken }, { onError, ...options }) {
  const server = createMcpServer(registry, options)
  server.onerror = onError
  const { stdin } = process
  const ended = Promise.race([
    broken,
    ...['end', 'close'].map(event =>
      once(stdin, event).then(
        () => {},
        () => {},
      ),
    ),
  ])
  await server.connect(new sdk.StdioServerTransport(stdin, stream))
  return {
    ended,
    async close() {
      await server.close()
      await flushed(stream)
    },
  }
}

/** Resolves when the last answer is written. @param {Writable} stream @returns {Promise<void>} */
const flushed = stream =>
  new Promise(resolve => {
    if (stream.destroyed) resolve()
    else stream.write('', () => resolve())
  })

module.exports = { serveStdio, takeStdout }
