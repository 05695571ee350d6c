'use strict'

// Serves MCP over standard input and output, which is reserved for the protocol.

const { once } = require('node:events')
const { PassThrough } = require('node:stream')

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
  // The SDK drops what runs when its input ends; here it is answered first.
  const input = stdin.pipe(new PassThrough(), { end: false })
  const transport = new sdk.stdio.StdioServerTransport(input, stream)
  const server = sdk.stdio.serveStdio(() => createMcpServer(registry, options), { transport, onerror: onError })
  return {
    ended,
    async close() {
      await server.close()
      await flushed(stream)
    },
  }
}

module.exports = { serveStdio }
