'use strict'

// MCP over HTTP, at `/mcp` of one port.

const { createServer } = require('node:http')

const { isLoopback } = require('../../mcp/http-guard.js')
const { createMcpHttpHandler } = require('../../mcp/http-handler.js')
const { CommandFailure } = require('../exit.js')

const PATH = '/mcp'
/** Answers that are on their way when it ends. */
const LAST_ANSWERS_MS = 1000

/**
 * @param {import('toolgate').ToolRegistry} registry
 * @param {import('../../mcp/index').McpHttpOptions & { host: string, port: number }} options
 * @returns {Promise<{ url: string, isOpen: boolean, close(): Promise<void> }>} `isOpen`: other machines may reach it
 * @throws {CommandFailure} if it can't listen
 */
async function serveHttp(registry, { host, port, ...options }) {
  const handle = createMcpHttpHandler(registry, options)
  const server = createServer((request, response) => {
    if (new URL(request.url, 'http://localhost').pathname !== PATH) return response.writeHead(404).end()
    return handle(request, response).catch(error => {
      options.onError?.(error)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  await listening(server, host, port)
  const address = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${address}:${server.address().port}${PATH}`,
    isOpen: !isLoopback(host),
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      await handle.close()
      const patience = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS)
      await closed
      clearTimeout(patience)
    },
  }
}

function listening(server, host, port) {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(cantListen(error, host, port)))
    server.listen(port, host, resolve)
  })
}

function cantListen({ code, message }, host, port) {
  const told = {
    EADDRINUSE: [`port ${port} of \`${host}\` is in use`, 'choose another with --port; 0 takes one that is free'],
    EACCES: [`port ${port} may not be used by this user`, 'choose one from 1024 on with --port'],
    EADDRNOTAVAIL: [`\`${host}\` is no address of this machine`, 'leave --host out, for this machine alone'],
    ENOTFOUND: [`\`${host}\` is no address of this machine`, 'leave --host out, for this machine alone'],
  }[code]
  return new CommandFailure(...(told ?? [`\`${host}\` port ${port} can't be listened to: ${message}`]))
}

module.exports = { serveHttp }
