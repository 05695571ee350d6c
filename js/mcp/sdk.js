'use strict'

// Loads the packages of the MCP SDK, optional peer dependencies, when a server or a connection is created.

const PACKAGE = '@modelcontextprotocol/server'
const CLIENT_PACKAGE = '@modelcontextprotocol/client'

/** What needs each package. @type {Record<string, string>} */
const USES = { [PACKAGE]: 'an MCP server', [CLIENT_PACKAGE]: 'a source' }

/** A server or a source needs a package that is not installed. */
class McpSdkMissing extends Error {
  /** @param {unknown} cause @param {string} [name] of the package */
  constructor(cause, name = PACKAGE) {
    super(`${USES[name]} needs the package \`${name}\`; install it: \`npm install ${name}\``, { cause })
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
    return loaded(PACKAGE, '/stdio')
  },
  /** @returns {typeof import('@modelcontextprotocol/client')} */
  get client() {
    return loaded(CLIENT_PACKAGE)
  },
}

/** @param {string} name of the package @param {string} [entry] @throws {McpSdkMissing} */
function loaded(name, entry = '') {
  try {
    return require(`${name}${entry}`)
  } catch (cause) {
    // An installed SDK that fails to load keeps its own error.
    const error = /** @type {NodeJS.ErrnoException | null} */ (cause)
    if (error?.code === 'MODULE_NOT_FOUND' && error.message.includes(name)) throw new McpSdkMissing(cause, name)
    throw cause
  }
}

module.exports = { McpSdkMissing, PACKAGE, sdk }
