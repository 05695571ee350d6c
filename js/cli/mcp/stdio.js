'use strict'

// MCP over standard input and output. Standard output belongs to the protocol alone: what handlers, their libraries and
// services print goes to standard error.

const { once } = require('node:events')
const { Writable } = require('node:stream')

const { createMcpServer } = require('../../mcp/mcp-server.js')
const { sdk } = require('../../mcp/sdk.js')

/**
 * Takes standard output for the protocol, from now on: before any code of the tools is loaded.
 * @returns {{ stream: Writable, broken: Promise<void> }} `broken`: the reader is gone
 */
function takeStdout() {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  // What `console` writes through, too.
  stdout.write = (...written) => stderr.write(...written)
  for (const stream of [stdout, stderr]) {
    // Elsewhere a reader that has gone ends the command at once; here calls are under way. Without standard error they are served.
    stream.removeAllListeners('error')
    stream.on('error', () => {})
  }
  const stream = new Writable({ decodeStrings: false, write: (chunk, encoding, done) => write(chunk, encoding, done) })
  const broken = once(stream, 'error').then(
    () => {},
    () => {},
  )
  return { stream, broken }
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

/** The last answer is on its way out. */
const flushed = stream =>
  new Promise(resolve => {
    if (stream.destroyed) resolve()
    else stream.write('', () => resolve())
  })

module.exports = { serveStdio, takeStdout }
