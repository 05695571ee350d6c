'use strict'

// Loads the MCP SDK, an optional peer dependency, when a server is created.

const PACKAGE = '@modelcontextprotocol/server'

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
  /** @returns {typeof import('@modelcontextprotocol/server')} */
  get server() {
    return loaded(PACKAGE)
  },
  /** @returns {typeof import('@modelcontextprotocol/server/stdio')} */
  get stdio() {
    return loaded(`${PACKAGE}/stdio`)
  },
}

/** @param {string} module @throws {McpSdkMissing} */
function loaded(module) {
  try {
    return require(module)
  } catch (cause) {
    // An installed SDK that fails to load keeps its own error.
    const error = /** @type {NodeJS.ErrnoException | null} */ (cause)
    if (error?.code === 'MODULE_NOT_FOUND' && error.message.includes(PACKAGE)) throw new McpSdkMissing(cause)
    throw cause
  }
}

module.exports = { McpSdkMissing, PACKAGE, sdk }
