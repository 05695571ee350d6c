'use strict'

// The built-in service `registry` of every session: search and documentation of the tools that the session may see, and the
// calls that it has running.

const NAME = 'registry'

/** @type {string[]} */
const NO_ROLES = []

/**
 * @typedef {import('../tool-sets/tool-set.js').SearchOptions} SearchOptions
 * @typedef {{ query: string, category?: string, limit?: number, mode: string }} ToolQuery
 * @typedef {import('./attachment-context.js').AttachmentContext} AttachmentContext
 * @typedef {Pick<AttachmentContext, 'toolSet' | 'toolsFound' | 'backgroundCalls' | 'cancelBackground'>} AttachmentViewer the attachment;
 *   `toolsFound` receives the ids of the tools that a search or a description named
 * @typedef {{ viewer: AttachmentViewer, roles?: string[] }} RegistryParts
 */

class RegistryService {
  #viewer
  #services
  #roles

  /** @param {RegistryParts & { services: object }} parts */
  constructor({ viewer, services, roles = NO_ROLES }) {
    this.#viewer = viewer
    this.#services = services
    this.#roles = roles
  }

  /**
   * The tools found by words, best first: `{ toolId, title, summary, category, sideEffects, score }`.
   * @param {ToolQuery} request
   */
  search({ query, mode, category, limit }) {
    const found = this.#viewer.toolSet.search(query, { ...this.#visibility(mode), category, limit })
    this.#viewer.toolsFound(found.map(({ toolId }) => toolId))
    return found
  }

  /**
   * `{ tool }` with documentation, schema and examples, or `{ nearest }` with the ids of similar tools.
   * @param {{ toolId: string, mode: string }} request
   */
  describe({ toolId, mode }) {
    const { tool, nearest } = this.#viewer.toolSet.lookUp(toolId, this.#visibility(mode))
    if (tool === undefined) return { nearest }
    this.#viewer.toolsFound([toolId])
    const { jsonSchema: schema, ...rest } = tool
    return { tool: { ...rest, schema } }
  }

  /** The background calls of the session, oldest first. @returns {Promise<import('../../index.js').BackgroundCall[]>} */
  calls() {
    return this.#viewer.backgroundCalls()
  }

  /**
   * Cancels a background call by its user's word: what came of it, see `session.cancelBackground`.
   * @param {string} callId
   */
  cancel(callId) {
    return this.#viewer.cancelBackground(callId, 'the user no longer wants it')
  }

  /** @param {string} mode */
  #visibility(mode) {
    return { mode, services: serviceNames(this.#services), roles: this.#roles }
  }
}

/** Throws for a host's services that contain the built-in one's name. @param {object | null | undefined} services */
function checkServiceNames(services) {
  if (services !== undefined && services !== null && Object.hasOwn(services, NAME))
    throw new TypeError(`the service name \`${NAME}\` is built in; give your service another name`)
}

/**
 * A host's services of one attachment with the built-in one, which is not enumerable: a handler's context copies the
 * enumerable ones for every call.
 * @param {object} services
 * @param {RegistryParts} parts
 */
function withRegistryService(services, parts) {
  const service = new RegistryService({ ...parts, services })
  return Object.defineProperty(services, NAME, { value: service })
}

/** The names of a host's services and of the built-in one. @param {object | null | undefined} services */
const serviceNames = services => [...Object.keys(services ?? {}), NAME]

module.exports = { checkServiceNames, serviceNames, withRegistryService, BUILT_IN_SERVICE: NAME }
