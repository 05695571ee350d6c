'use strict'

// Loads the MCP SDK, an optional peer dependency, when a server is created.

const PACKAGE = '@modelcontextprotocol/sdk'

/** `createMcpServer` needs a package that is not installed. */
class McpSdkMissing extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super(`an MCP server needs the package \`${PACKAGE}\`; install it: \`npm install ${PACKAGE}\``, { cause })
    this.name = 'McpSdkMissing'
    this.code = 'MCP_SDK_MISSING'
  }
}

const sdk = {
  /** @returns {typeof import('@modelcontextprotocol/sdk/server/index.js').Server} */
  get Server() {
    return loaded('server/index.js').Server
  },
  /** @returns {typeof import('@modelcontextprotocol/sdk/server/stdio.js').StdioServerTransport} */
  get StdioServerTransport() {
    return loaded('server/stdio.js').StdioServerTransport
  },
  /** @returns {typeof import('@modelcontextprotocol/sdk/server/streamableHttp.js').StreamableHTTPServerTransport} */
  get StreamableHTTPServerTransport() {
    return loaded('server/streamableHttp.js').StreamableHTTPServerTransport
  },
  /** @returns {typeof import('@modelcontextprotocol/sdk/types.js').ElicitResultSchema} */
  get ElicitResultSchema() {
    return loaded('types.js').ElicitResultSchema
  },
}

/** @param {string} module @throws {McpSdkMissing} */
function loaded(module) {
  try {
    return require(`${PACKAGE}/${module}`)
  } catch (cause) {
    // An installed SDK that fails to load keeps its own error.
    const error = /** @type {NodeJS.ErrnoException | null} */ (cause)
    if (error?.code === 'MODULE_NOT_FOUND' && error.message.includes(PACKAGE)) throw new McpSdkMissing(cause)
    throw cause
  }
}

module.exports = { McpSdkMissing, sdk }
