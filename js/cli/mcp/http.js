'use strict'

// Serves MCP over HTTP, at the path `/mcp`, with the metadata of its authorization, and `/healthz` and `/readyz` to an orchestrator.

const { createServer } = require('node:http')

const { createHealthProbes } = require('../../http/health.js')
const { isLoopback } = require('../../mcp/http-guard.js')
const { createMcpHttpHandler } = require('../../mcp/http-handler.js')
const { METADATA_PATH } = require('../../mcp/resource-metadata.js')
const { listening } = require('./listening.js')

const PATH = '/mcp'
/** A client that sends nothing, or not all of a body, in this time is disconnected. */
const DEADLINES = { headersTimeout: 3000, requestTimeout: 15_000, connectionsCheckingInterval: 1000 }
/** Time for answers in flight at shutdown. */
const SHUTDOWN_TIMEOUT_MS = 1000

/**
 * @param {import('toolgate').ToolRegistry} registry
 * @param {import('../../mcp/index').McpHttpOptions & { host: string, port: number }} options
 * @returns {Promise<{ url: string, isOpen: boolean, close(): Promise<void> }>} `isOpen`: other machines may reach it
 * @throws {import('../exit.js').CommandFailure} if it can't listen
 */
async function serveHttp(registry, { host, port, ...options }) {
  const handle = createMcpHttpHandler(registry, options)
  let isDraining = false
  const probes = createHealthProbes({ registry: () => registry, isDraining: () => isDraining })
  const server = createServer(DEADLINES, (request, response) => {
    if (probes.answer(request, response)) return
    const { pathname } = new URL(String(request.url), 'http://localhost')
    const isServed = pathname === PATH || (options.authorization !== undefined && isMetadata(pathname))
    if (!isServed) return response.writeHead(404).end()
    return handle(request, response).catch(error => {
      options.onError?.(error)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  await listening(server, host, port)
  const bound = /** @type {import('node:net').AddressInfo} */ (server.address())
  const address = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${address}:${bound.port}${PATH}`,
    isOpen: !isLoopback(host),
    async close() {
      isDraining = true
      const closed = new Promise(resolve => server.close(resolve))
      await handle.close()
      const timeout = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS)
      await closed
      clearTimeout(timeout)
    },
  }
}

/** @param {string} path */
const isMetadata = path => path === METADATA_PATH || path === METADATA_PATH + PATH

module.exports = { serveHttp }
