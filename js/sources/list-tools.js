'use strict'

// Lists a server's tools page by page, with bounds over the whole list. The definitions are kept as published, because the
// lock compares all of their members; the SDK's own list leaves out what it does not know.

/** @typedef {import('./types.js').PublishedTool} PublishedTool */
/** @typedef {Pick<import('./types.js').SourceLimits, 'pages' | 'tools' | 'listBytes'>} ListLimits */
/** @typedef {(method: string, params: import('../shared-types.js').JsonObject) => Promise<import('../shared-types.js').JsonObject>} Requester */

/**
 * The list is not usable.
 * @typedef {'LIST_TOO_MANY_PAGES' | 'LIST_TOO_MANY_TOOLS' | 'LIST_TOO_LARGE' | 'LIST_REPEATED_CURSOR' | 'LIST_REPEATED_NAME'
 *   | 'LIST_WRONG_SHAPE'} ListFault
 */
class ListError extends Error {
  /** @param {ListFault} code @param {string} message */
  constructor(code, message) {
    super(message)
    this.name = 'ListError'
    this.code = code
  }
}

/**
 * @param {Requester} request
 * @param {ListLimits} limits
 * @returns {Promise<Map<string, PublishedTool>>} by name, in the order of the list
 * @throws {ListError}
 */
async function listTools(request, limits) {
  /** @type {Map<string, PublishedTool>} */
  const tools = new Map()
  const cursors = new Set()
  let bytes = 0
  for (let page = 0, cursor; page < limits.pages; page += 1) {
    const result = await request('tools/list', cursor === undefined ? {} : { cursor })
    bytes += Buffer.byteLength(JSON.stringify(result))
    if (bytes > limits.listBytes)
      throw new ListError('LIST_TOO_LARGE', `the list of tools has more than ${limits.listBytes} bytes`)
    addPage(tools, result, limits)
    const { nextCursor } = result
    // Some servers send null with the last page.
    if (nextCursor === undefined || nextCursor === null) return tools
    if (typeof nextCursor !== 'string') throw new ListError('LIST_WRONG_SHAPE', '`nextCursor` is not a string')
    if (cursors.has(nextCursor)) throw new ListError('LIST_REPEATED_CURSOR', 'the list of tools repeats a cursor')
    cursors.add(nextCursor)
    cursor = nextCursor
  }
  throw new ListError('LIST_TOO_MANY_PAGES', `the list of tools has more than ${limits.pages} pages`)
}

/** @param {Map<string, PublishedTool>} tools @param {import('../shared-types.js').JsonObject} result @param {ListLimits} limits */
function addPage(tools, result, limits) {
  if (!Array.isArray(result.tools)) throw new ListError('LIST_WRONG_SHAPE', '`tools` is not a list')
  for (const tool of result.tools) {
    if (typeof tool?.name !== 'string') throw new ListError('LIST_WRONG_SHAPE', 'a tool has no name')
    if (tools.has(tool.name))
      throw new ListError('LIST_REPEATED_NAME', `\`${tool.name.slice(0, 128)}\` is listed twice`)
    if (tools.size >= limits.tools)
      throw new ListError('LIST_TOO_MANY_TOOLS', `the list has more than ${limits.tools} tools`)
    tools.set(tool.name, tool)
  }
}

module.exports = { ListError, listTools }
