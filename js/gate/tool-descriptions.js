'use strict'

// What a registry says of its tools, for prompts, pages and providers, and that they have changed.

const { declaredTools, toolSearchOf } = require('../tool-sets/declared-tools.js')
const { hiddenTools } = require('../tool-sets/hidden-tools.js')

/** @typedef {import('../tool-sets/declared-tools.js').Choice} Choice */

class ToolDescriptions {
  #set
  #services
  /** @type {Set<() => void>} */
  #listeners = new Set()
  #isTold = true

  /**
   * @param {() => import('../tool-sets/tool-set.js').ToolSet} set throws if there is none yet
   * @param {(names?: string[]) => string[]} services the names of the services that tools may require: the given ones, or the registry's
   */
  constructor(set, services) {
    this.#set = set
    this.#services = services
  }

  getVersion() {
    return this.#set().version
  }

  getGitCommit() {
    return this.#set().gitCommit
  }

  get tools() {
    return this.#set().tools
  }

  /** @param {string} [provider] @param {Partial<Choice>} [choice] @returns {any[]} */
  getProviderSchemas(provider = 'openai', { mode, services, roles, ...search } = {}) {
    const set = this.#set()
    const choice = { mode, services: this.#services(services), roles, toolSearch: toolSearchOf(search) }
    return declaredTools(set, provider, choice)
  }

  /** @internal Hears that the declared tools have changed. @param {() => void} listener @returns {() => void} stops that */
  onToolsChanged(listener) {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** @internal The declared tools have changed. Changes of one moment are reported once. */
  toolsChanged() {
    if (!this.#isTold) return
    this.#isTold = false
    queueMicrotask(() => {
      this.#isTold = true
      for (const listener of [...this.#listeners]) listener()
    })
  }

  /** The tools that no mode shows, because the registry lacks services that they require. */
  hidden() {
    return hiddenTools(this.#set().tools.values(), this.#services())
  }

  /** @param {Partial<Choice>} [viewer] */
  getSummaries({ mode, services, roles } = {}) {
    const set = this.#set()
    return set.summaries({ mode, services: this.#services(services), roles })
  }

  /** @param {string} toolId */
  getDocumentation(toolId) {
    return this.#set().native.documentation(String(toolId))
  }

  /** @param {string} toolId */
  getToolMetadata(toolId) {
    return this.#set().tool(toolId) ?? null
  }

  /** @param {string} category */
  getToolsByCategory(category) {
    return [...this.tools.values()].filter(tool => tool.category === category)
  }
}

module.exports = { ToolDescriptions }
