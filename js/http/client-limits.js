'use strict'

// What one client may use of a server: per address, and per principal if the server knows who asks.

const { readNumbers, readVariable } = require('./setting-values.js')
const { TokenBucket } = require('./token-bucket.js')

/**
 * @typedef {import('./index').ClientLimits} ClientLimits
 * @typedef {import('./index').Client} Client
 */

/** A burst may have four times the requests of a second, and the sessions of a minute. Many users may share an address. @type {ClientLimits} */
const PER_ADDRESS = { requestsPerSecond: 50, sessionsPerMinute: 120, connections: 64, longPolls: 64 }
/** @type {ClientLimits} */
const PER_PRINCIPAL = { requestsPerSecond: 20, sessionsPerMinute: 60, connections: 16, longPolls: 16 }
const NAMES = /** @type {(keyof ClientLimits)[]} */ (Object.keys(PER_ADDRESS))

/** Clients whose rates are kept. The one that was idle longest goes first: its buckets are the fullest. */
const MAX_CLIENTS = 10_000

/**
 * @param {{ perAddress?: Partial<ClientLimits>, perPrincipal?: Partial<ClientLimits>, now?: () => number }} [options]
 * @throws {TypeError} if a limit is unknown or no number from 0
 */
function createClientLimits({ perAddress, perPrincipal, now } = {}) {
  const ofAddress = { ...PER_ADDRESS, ...checkedLimits(perAddress) }
  const ofPrincipal = { ...PER_PRINCIPAL, ...checkedLimits(perPrincipal) }
  const requests = new Rates(limits => ({
    perSecond: limits.requestsPerSecond,
    burst: limits.requestsPerSecond * 4,
    now,
  }))
  const sessions = new Rates(limits => ({
    perSecond: limits.sessionsPerMinute / 60,
    burst: limits.sessionsPerMinute,
    now,
  }))
  const connections = new OpenCounts(limits => limits.connections)
  const longPolls = new OpenCounts(limits => limits.longPolls)

  /** @param {Client} client @returns {[key: string, limits: ClientLimits][]} */
  const subjectsOf = ({ address, principal, limits }) => [
    ...(address === null ? [] : [subject(`address ${address}`, ofAddress)]),
    ...(principal ? [subject(`principal ${principal}`, { ...ofPrincipal, ...limits })] : []),
  ]
  return {
    /** Counts a request; false if there are too many. @param {Client} client */
    takeRequest: client => requests.take(subjectsOf(client)),
    /** Counts a new session; false if there are too many. @param {Client} client */
    takeSession: client => sessions.take(subjectsOf(client)),
    /** Counts an open connection until the returned function is called; null if there are too many. @param {Client} client */
    openConnection: client => connections.open(subjectsOf(client)),
    /** Counts a waiting request until the returned function is called; null if there are too many. @param {Client} client */
    openLongPoll: client => longPolls.open(subjectsOf(client)),
  }
}

/** @param {string} key @param {ClientLimits} limits @returns {[string, ClientLimits]} */
const subject = (key, limits) => [key, limits]

/** Rates by key. */
class Rates {
  /** The least recently used first. @type {Map<string, TokenBucket>} */
  #buckets = new Map()
  #sizeOf

  /** @param {(limits: ClientLimits) => ConstructorParameters<typeof TokenBucket>[0]} sizeOf */
  constructor(sizeOf) {
    this.#sizeOf = sizeOf
  }

  /** Whether all keys have a token left; each that has one loses it. @param {[string, ClientLimits][]} subjects */
  take(subjects) {
    return subjects.map(([key, limits]) => this.#bucket(key, limits).take()).every(taken => taken)
  }

  /** @param {string} key @param {ClientLimits} limits */
  #bucket(key, limits) {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#sizeOf(limits))
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > MAX_CLIENTS) this.#buckets.delete(String(this.#buckets.keys().next().value))
    return bucket
  }
}

/** Numbers of open things by key. A key without any is not kept. */
class OpenCounts {
  /** @type {Map<string, number>} */
  #open = new Map()
  #maximumOf

  /** @param {(limits: ClientLimits) => number} maximumOf */
  constructor(maximumOf) {
    this.#maximumOf = maximumOf
  }

  /** @param {[string, ClientLimits][]} subjects @returns {(() => void) | null} */
  open(subjects) {
    if (subjects.some(([key, limits]) => (this.#open.get(key) ?? 0) >= this.#maximumOf(limits))) return null
    const keys = subjects.map(([key]) => key)
    for (const key of keys) this.#open.set(key, (this.#open.get(key) ?? 0) + 1)
    return () => keys.splice(0).forEach(key => this.#close(key))
  }

  /** @param {string} key */
  #close(key) {
    const left = (this.#open.get(key) ?? 0) - 1
    if (left > 0) this.#open.set(key, left)
    else this.#open.delete(key)
  }
}

/** @param {unknown} limits @returns {Partial<ClientLimits>} @throws {TypeError} */
function checkedLimits(limits = {}) {
  if (typeof limits !== 'object' || limits === null) throw new TypeError('limits must be an object')
  for (const [name, value] of Object.entries(limits)) {
    if (!NAMES.some(known => known === name))
      throw new TypeError(`\`${name}\` is no limit; there are ${NAMES.join(', ')}`)
    if (typeof value !== 'number' || !(value >= 0)) throw new TypeError(`the limit \`${name}\` must be a number from 0`)
  }
  return limits
}

/**
 * The limits of `TOOLGATE_ADDRESS_LIMITS` and `TOOLGATE_PRINCIPAL_LIMITS`, written as `connections=64, longPolls=16`.
 *
 * @param {NodeJS.ProcessEnv} env
 * @throws {TypeError} if a limit is unknown or no number from 0
 */
function clientLimitsOf(env) {
  return {
    perAddress: readVariable('TOOLGATE_ADDRESS_LIMITS', env.TOOLGATE_ADDRESS_LIMITS, readLimits),
    perPrincipal: readVariable('TOOLGATE_PRINCIPAL_LIMITS', env.TOOLGATE_PRINCIPAL_LIMITS, readLimits),
  }
}

/** @param {string} text */
const readLimits = text => checkedLimits(readNumbers(text))

module.exports = { checkedLimits, clientLimitsOf, createClientLimits }
