'use strict'

// Confirmations beyond their sessions: the host's listener for what happens to them, and the links by which they are
// answered elsewhere. The core decides what is pending, and who may answer.

const { randomBytes } = require('node:crypto')

const { derivedKey, linkKeys, readLink, seal, unseal, writeLink } = require('./confirmation-links.js')
const { isLoopbackName } = require('../http/host-policy.js')
const { checkOptionNames, milliseconds } = require('./option-checks.js')
const { readValue } = require('./session-error.js')
const timers = require('./timers.js')

/** The number of confirmations whose expiry this process waits for; of more, the oldest are left to others. */
const MAX_AWAITED = 10_000
/** A link that can be used for less than this is warned of, once: who gets it may not look before then. */
const SHORT_LINK_MS = 3_600_000
/** The longest delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1
/** How often the store is asked again, with doubled pauses: it failed, or its clock is behind. */
const MAX_TRIES = 8
const FIRST_PAUSE_MS = 500

/**
 * @typedef {import('../../index.js').ConfirmationEvent} ConfirmationEvent
 * @typedef {import('../../index.js').PendingConfirmation & { state: 'pending' | 'confirmed' | 'expired', principal: string | null }} FoundConfirmation
 * @typedef {import('../../native.js').NativeGate} NativeGate
 * @typedef {object} ConfirmationParts
 * @property {() => import('../../index.js').RegistryOptions} options the host's options as they are now
 * @property {import('./host-listeners.js').HostListeners} listeners
 * @property {() => import('../tool-sets/tool-set.js').ToolSet} toolSet
 * @property {(options: import('../../index.js').SessionOptions, id: string) => Promise<import('./session.js').Session>} open
 *   attaches to the session of a confirmation as its owner
 * @property {(start: (gate: NativeGate, callNumber: number) => string | null) => Promise<string>} ask asks the core
 */

class Confirmations {
  #parts
  /** Those that were requested in this process and are not known to be answered. @type {Map<string, { event: ConfirmationEvent, timer: NodeJS.Timeout }>} */
  #awaited = new Map()
  /** @type {Promise<string | Buffer> | null} */
  #secret = null
  #hasWarned = false

  /** @param {ConfirmationParts} parts */
  constructor(parts) {
    this.#parts = parts
  }

  /** Something has happened to a confirmation. @param {string} text JSON text of the event */
  changed(text) {
    const event = JSON.parse(text)
    const known = this.#awaited.get(event.id)
    // The store keeps no text of an expired confirmation.
    event.preview ??= known?.event.preview ?? null
    this.#forget(event.id)
    if (event.type === 'requested') this.#await(event, event.expires - Date.now(), 0)
    const { onConfirmation } = this.#parts.options()
    // A copy: what is known of those that wait is not the host's.
    if (onConfirmation !== undefined) this.#parts.listeners.call(() => onConfirmation({ ...event }))
  }

  /**
   * A URL by which whoever has it answers a confirmation; null if it is not pending.
   * @type {import('../../index.js').ToolRegistry['confirmationLink']}
   */
  async link(id, options) {
    checkOptionNames(options, ['baseUrl', 'sessionId', 'ttlMs'], 'confirmation link')
    const { sessionId = this.#awaited.get(String(id))?.event.sessionId, ttlMs = Infinity } = options
    const url = linkBase(options.baseUrl)
    if (typeof sessionId !== 'string')
      throw new TypeError('`sessionId` is missing: this process has not asked; events have it beside the `id`')
    const until = Date.now() + milliseconds(ttlMs, 'ttlMs')
    const found = await this.find(sessionId, String(id))
    if (found?.state !== 'pending') return null
    // A page of this machine is looked at now.
    if (found.expires - Date.now() < SHORT_LINK_MS && !isLoopbackName(url.hostname)) this.#warnOfShortLink(found)
    const linked = { sessionId, id: found.id, expires: Math.min(found.expires, until) }
    url.searchParams.set('confirmation', writeLink(linked, await this.#linkKeys()))
    return url.href
  }

  /** What the text of a link names; null if it was not made by this installation. @param {unknown} text */
  async read(text) {
    return readLink(text, await this.#linkKeys())
  }

  /** @param {string} sessionId @param {string} id @returns {Promise<FoundConfirmation | null>} */
  async find(sessionId, id) {
    return readValue(await this.#parts.ask((gate, number) => gate.findConfirmation(number, sessionId, id)))
  }

  /**
   * Reports that a confirmation has expired, unless that is known: an answer came too late.
   * @param {{ sessionId: string, principal: string | null, id: string }} confirmation
   * @returns {Promise<string>} what became of it
   */
  async reportExpiry({ sessionId, principal, id }) {
    return readValue(await this.#parts.ask((gate, number) => gate.reportExpiry(number, sessionId, principal, id)))
  }

  /**
   * Attaches to the session of a confirmation as its owner: the caller has shown the right to answer it.
   * @param {string} id @param {import('../../index.js').SessionOptions} options
   */
  open(id, options) {
    return this.#parts.open(options, id)
  }

  /** Masked arguments as a person must see them. @param {string} toolId @param {unknown} args */
  showArguments(toolId, args) {
    const shown = this.#parts.toolSet().native.showArguments(toolId, JSON.stringify(args))
    return /** @type {import('../../index.js').ShownArguments['rows']} */ (shown === null ? [] : JSON.parse(shown).rows)
  }

  /** Waits for no expiry any more. */
  close() {
    for (const id of [...this.#awaited.keys()]) this.#forget(id)
  }

  /** The host's own `ttlMs` is its wish, and not warned of. @param {FoundConfirmation} found */
  #warnOfShortLink({ tool, expires }) {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const minutes = Math.floor((expires - Date.now()) / 60_000)
    const message =
      `the link to a confirmation of \`${tool}\` can be used for less than an hour (${minutes} min); ` +
      'give the tool a longer `confirmation.ttlMs` if its user may answer later'
    this.#parts.listeners.warn({ at: new Date().toISOString(), level: 'warn', message, tool })
  }

  /** The key of another purpose than links, of all processes on the store. @param {string} purpose */
  async key(purpose) {
    return derivedKey(await this.#readSecret(), purpose)
  }

  /** A value that a stranger keeps for this installation, and can neither read nor change. @param {string} purpose @param {unknown} content */
  async seal(purpose, content) {
    return seal(content, linkKeys(await this.#readSecret(), purpose))
  }

  /** What was sealed for a purpose; null if the text was not made by this installation. @param {string} purpose @param {unknown} text */
  async unseal(purpose, text) {
    return unseal(text, linkKeys(await this.#readSecret(), purpose))
  }

  async #linkKeys() {
    return linkKeys(await this.#readSecret())
  }

  #readSecret() {
    this.#secret ??= this.#askSecret().catch(error => {
      // A store that failed may answer the next time.
      this.#secret = null
      throw error
    })
    return this.#secret
  }

  /** With a store that is private to this process, no other one has its confirmations. @returns {Promise<string | Buffer>} */
  async #askSecret() {
    const { linkSecret } = this.#parts.options()
    if (linkSecret !== undefined) return linkSecret
    return readValue(await this.#parts.ask((gate, number) => gate.linkKey(number))) ?? randomBytes(32)
  }

  /** @param {ConfirmationEvent} event @param {number} delay @param {number} tries */
  #await(event, delay, tries) {
    this.#forget(event.id)
    for (const oldest of this.#awaited.keys()) {
      if (this.#awaited.size < MAX_AWAITED) break
      this.#forget(oldest)
    }
    const timer = timers.setTimeout(() => this.#look(event, tries), Math.min(Math.max(delay, 0), MAX_DELAY_MS))
    timer.unref()
    this.#awaited.set(event.id, { event, timer })
  }

  /** @param {string} id */
  #forget(id) {
    timers.clearTimeout(this.#awaited.get(id)?.timer)
    this.#awaited.delete(id)
  }

  /** Has an expiry reported once its time is over. @param {ConfirmationEvent} event @param {number} tries */
  async #look(event, tries) {
    const early = event.expires - Date.now()
    if (early > 0) return this.#await(event, early, tries)
    const report = await this.reportExpiry(event).catch(() => 'pending')
    if (!this.#awaited.has(event.id)) return
    if (report === 'pending' && tries < MAX_TRIES) return this.#await(event, FIRST_PAUSE_MS * 2 ** tries, tries + 1)
    this.#forget(event.id)
  }
}

/** @param {unknown} given */
function linkBase(given) {
  const text = given instanceof URL ? given.href : given
  if (typeof text !== 'string' || !URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new TypeError('`baseUrl` must be the URL of your confirmation route, such as `https://app.example/confirm`')
  return new URL(text)
}

module.exports = { Confirmations }
