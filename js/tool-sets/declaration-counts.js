'use strict'

// Counts what was declared to models, and what search and deferral left out: the cost of declarations in a context.

const { estimatedTokens } = require('./declarations.js')

/** The combinations of provider, mode, services and roles that are kept apart until the next sum. */
const MAX_VIEWERS = 64
/** The name of the mode of a declaration without one. */
const NO_MODE = '(none)'

/**
 * @typedef {import('./declarations.js').ProviderDeclaration} ProviderDeclaration
 * @typedef {{ mode?: string, services: string[], roles?: string[] }} Viewer
 * @typedef {{ declarations: number, declarationTokens: number }} Amount
 * @typedef {{ provider: string, viewer: Viewer, times: number, sent: Amount, all: Amount | null }} ViewerCount `sent`: of
 *   all times together; `all`: what the viewer could be declared, once
 */

/** The declarations of one tool set. */
class DeclarationCounts {
  #allDeclarations
  /** @type {Map<string, ViewerCount>} */
  #viewers = new Map()
  /** mode → sums @type {Map<string, { declared: Amount, undeclared: Amount }>} */
  #sums = new Map()

  /** @param {(provider: string, viewer: Viewer) => ProviderDeclaration[]} allDeclarations of the tools that a viewer may use */
  constructor(allDeclarations) {
    this.#allDeclarations = allDeclarations
  }

  /** Counts a list with all declarations. @param {string} provider @param {Viewer} viewer @param {ProviderDeclaration[]} all */
  addAll(provider, viewer, all) {
    const counted = this.#viewer(provider, viewer)
    counted.all ??= amountOf(all)
    add(counted, counted.all)
  }

  /**
   * Counts a list that leaves declarations out. How much they are is computed when the counts are read.
   * @param {string} provider @param {Viewer} viewer @param {ProviderDeclaration[]} sent
   */
  addSome(provider, viewer, sent) {
    add(this.#viewer(provider, viewer), amountOf(sent))
  }

  /** mode → what was declared, and what was left out. */
  read() {
    for (const counted of this.#viewers.values()) this.#sum(counted)
    this.#viewers.clear()
    return this.#sums
  }

  /** @param {string} provider @param {Viewer} viewer */
  #viewer(provider, { mode, services, roles = [] }) {
    const key = JSON.stringify([provider, mode, services, roles])
    let counted = this.#viewers.get(key)
    if (counted === undefined) {
      if (this.#viewers.size === MAX_VIEWERS) this.read()
      counted = { provider, viewer: { mode, services, roles }, times: 0, sent: nothing(), all: null }
      this.#viewers.set(key, counted)
    }
    return counted
  }

  /** @param {ViewerCount} counted */
  #sum({ provider, viewer, times, sent, all }) {
    const mode = viewer.mode ?? NO_MODE
    const { declarations, declarationTokens } = all ?? amountOf(this.#allDeclarations(provider, viewer))
    const sums = this.#sums.get(mode) ?? { declared: nothing(), undeclared: nothing() }
    this.#sums.set(mode, sums)
    sums.declared.declarations += sent.declarations
    sums.declared.declarationTokens += sent.declarationTokens
    sums.undeclared.declarations += times * declarations - sent.declarations
    sums.undeclared.declarationTokens += times * declarationTokens - sent.declarationTokens
  }
}

/**
 * Adds the counts of tool sets to metrics, as `(declared)` and `(undeclared)`.
 * @param {import('../../index.js').Metrics} metrics
 * @param {Iterable<{ declarationCounts: DeclarationCounts }>} toolSets
 * @returns {import('../../index.js').Metrics}
 */
function withDeclarationCounts(metrics, toolSets) {
  for (const { declarationCounts } of toolSets) {
    for (const [mode, sums] of declarationCounts.read()) {
      addRow(metrics, '(declared)', mode, sums.declared)
      addRow(metrics, '(undeclared)', mode, sums.undeclared)
    }
  }
  return metrics
}

/** @param {import('../../index.js').Metrics} metrics @param {string} name @param {string} mode @param {Amount} amount */
function addRow(metrics, name, mode, { declarations, declarationTokens }) {
  const row = (metrics[name] ??= { total: noCalls() })
  for (const counters of [row.total, (row[mode] ??= noCalls())]) {
    counters.declarations = (counters.declarations ?? 0) + declarations
    counters.declarationTokens = (counters.declarationTokens ?? 0) + declarationTokens
  }
}

/** @returns {import('../../index.js').ToolCounters} */
const noCalls = () => ({
  calls: 0,
  errors: {},
  replays: 0,
  retries: 0,
  cached: 0,
  ignoredSignals: 0,
  timeouts: 0,
  cancellations: 0,
  deferred: 0,
  late: 0,
  resultBytes: 0,
  fullResultBytes: 0,
  droppedFullResultBytes: 0,
  contextBytes: 0,
  contextWarnings: 0,
  loops: 0,
  questions: {},
  results: {},
  reconciles: {},
  repairs: {},
  latencyMs: { p50: null, p95: null, p99: null },
  latencyHistogram: null,
})

/** @returns {Amount} */
const nothing = () => ({ declarations: 0, declarationTokens: 0 })

/** @param {ProviderDeclaration[]} declared @returns {Amount} */
const amountOf = declared => ({
  declarations: declared.length,
  declarationTokens: declared.reduce((sum, declaration) => sum + estimatedTokens(declaration), 0),
})

/** @param {ViewerCount} counted @param {Amount} amount */
function add(counted, { declarations, declarationTokens }) {
  counted.times += 1
  counted.sent.declarations += declarations
  counted.sent.declarationTokens += declarationTokens
}

module.exports = { DeclarationCounts, withDeclarationCounts }
