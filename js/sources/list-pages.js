'use strict'

// Lists what a server publishes page by page, with bounds over the whole list. Everything is kept as published: the lock compares all
// members of a definition, and the SDK's own list leaves out what it does not know.

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/** @typedef {Pick<import('./types.js').SourceLimits, 'pages' | 'tools' | 'listBytes'>} ListLimits */
/** @typedef {(method: string, params: JsonObject) => Promise<JsonObject>} Requester */
/**
 * @typedef {object} ListKind
 * @property {string} method
 * @property {string} member of a page that has the items
 * @property {string} key that differs between items
 * @property {string} of what the list is of, in messages
 * @property {'prompts' | 'resources' | 'tools'} offer of a server that has the list
 */

/** What else than tools a server lists. @type {Record<string, ListKind>} */
const LISTS = {
  'prompts/list': { method: 'prompts/list', member: 'prompts', key: 'name', of: 'prompts', offer: 'prompts' },
  'resources/list': { method: 'resources/list', member: 'resources', key: 'uri', of: 'resources', offer: 'resources' },
  'resources/templates/list': {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    of: 'templates of resources',
    offer: 'resources',
  },
}
/** @type {ListKind} */
const TOOLS = { method: 'tools/list', member: 'tools', key: 'name', of: 'tools', offer: 'tools' }

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
 * @returns {Promise<Map<string, import('./types.js').PublishedTool>>} by name, in the order of the list
 * @throws {ListError}
 */
async function listTools(request, limits) {
  /** @type {Map<string, import('./types.js').PublishedTool>} */
  const tools = new Map()
  for await (const tool of itemsOf(TOOLS, request, limits)) {
    const { name } = tool
    if (tools.has(name)) throw new ListError('LIST_REPEATED_NAME', `\`${name.slice(0, 128)}\` is listed twice`)
    if (tools.size >= limits.tools)
      throw new ListError('LIST_TOO_MANY_TOOLS', `the list has more than ${limits.tools} tools`)
    tools.set(name, { ...tool, name })
  }
  return tools
}

/**
 * What a list other than that of tools has. Of items with one key the first counts.
 * @param {ListKind} kind @param {Requester} request @param {ListLimits} limits
 * @returns {Promise<JsonObject[]>}
 * @throws {ListError}
 */
async function listItems(kind, request, limits) {
  /** @type {Map<string, JsonObject>} */
  const items = new Map()
  for await (const item of itemsOf(kind, request, limits)) {
    const key = item[kind.key]
    if (!items.has(key)) items.set(key, item)
  }
  return [...items.values()]
}

/** @param {ListKind} kind @param {Requester} request @param {ListLimits} limits @returns {AsyncGenerator<JsonObject>} */
async function* itemsOf({ method, member, key, of }, request, limits) {
  const cursors = new Set()
  let bytes = 0
  for (let page = 0, cursor; page < limits.pages; page += 1) {
    const result = await request(method, cursor === undefined ? {} : { cursor })
    bytes += Buffer.byteLength(JSON.stringify(result))
    if (bytes > limits.listBytes)
      throw new ListError('LIST_TOO_LARGE', `the list of ${of} has more than ${limits.listBytes} bytes`)
    const items = result[member]
    if (!Array.isArray(items)) throw new ListError('LIST_WRONG_SHAPE', `\`${member}\` is not a list`)
    for (const item of items) {
      if (typeof item?.[key] !== 'string')
        throw new ListError('LIST_WRONG_SHAPE', `an item of the list of ${of} has no \`${key}\``)
      yield item
    }
    const { nextCursor } = result
    // Some servers send null with the last page.
    if (nextCursor === undefined || nextCursor === null) return
    if (typeof nextCursor !== 'string') throw new ListError('LIST_WRONG_SHAPE', '`nextCursor` is not a string')
    if (cursors.has(nextCursor)) throw new ListError('LIST_REPEATED_CURSOR', `the list of ${of} repeats a cursor`)
    cursors.add(nextCursor)
    cursor = nextCursor
  }
  throw new ListError('LIST_TOO_MANY_PAGES', `the list of ${of} has more than ${limits.pages} pages`)
}

module.exports = { LISTS, ListError, listItems, listTools }
