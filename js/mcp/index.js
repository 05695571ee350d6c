'use strict'

// `toolgate/mcp`: the tools of a registry for MCP clients.

const { createMcpHttpHandler } = require('./http-handler.js')
const { createMcpServer } = require('./mcp-server.js')

module.exports = { createMcpHttpHandler, createMcpServer }
