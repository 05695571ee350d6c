'use strict'

// Serves MCP over standard input and output, which is reserved for the protocol.

const { once } = require('node:events')

const { createMcpServer } = require('../../mcp/mcp-server.js')
const { sdk } = require('../../mcp/sdk.js')
const { flushed } = require('../reserved-stdout.js')

/**
 * Serves one client.
 * @param {import('toolgate').ToolRegistry} registry
 * @param {{ stream: import('node:stream').Writable, broken: Promise<void> }} stdout from `takeStdout`
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

module.exports = { serveStdio }
