'use strict'

// The MCP SDK, which the host brings along: an optional peer, loaded only where a server is made.

const PACKAGE = '@modelcontextprotocol/sdk'

/** `createMcpServer` needs a package that is not installed. */
class McpSdkMissing extends Error {
  constructor(cause) {
    super(`an MCP server needs the package \`${PACKAGE}\`; install it: \`npm install ${PACKAGE}\``, { cause })
    this.name = 'McpSdkMissing'
    this.code = 'MCP_SDK_MISSING'
  }
}

const sdk = {
  get Server() {
    return loaded('server/index.js').Server
  },
  get StdioServerTransport() {
    return loaded('server/stdio.js').StdioServerTransport
  },
  get StreamableHTTPServerTransport() {
    return loaded('server/streamableHttp.js').StreamableHTTPServerTransport
  },
}

/** @throws {McpSdkMissing} */
function loaded(module) {
  try {
    return require(`${PACKAGE}/${module}`)
  } catch (cause) {
    // One that is there and broken says so itself.
    if (cause?.code === 'MODULE_NOT_FOUND' && cause.message.includes(PACKAGE)) throw new McpSdkMissing(cause)
    throw cause
  }
}

module.exports = { McpSdkMissing, sdk }
