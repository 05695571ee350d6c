'use strict'

// Defaults that are code: their value at the build is the value of no call. They are left out of the JSON Schema, and the library
// computes them at the call.

const crypto = require('node:crypto')
const { syncBuiltinESMExports } = require('node:module')
const { isDeepStrictEqual } = require('node:util')

const { lostPart } = require('./lost-part.js')

/** A default that no declaration can have. */
const COMPUTED = lostPart('a default that is computed')

/**
 * What a default can read of its surroundings.
 * @typedef {{ now: number, random: number, variable: string | undefined }} World
 */

/** Years, months, days, hours and weekdays differ. @type {World[]} */
const WORLDS = [
  { now: Date.UTC(2001, 0, 2, 3, 4, 5, 6), random: 0.1, variable: undefined },
  { now: Date.UTC(2014, 6, 17, 12, 31, 40, 517), random: 0.9, variable: '1' },
  { now: Date.UTC(2031, 10, 29, 22, 58, 13, 931), random: 0.5, variable: 'true' },
  { now: Date.UTC(2044, 3, 8, 8, 17, 29, 250), random: 0.3, variable: 'production' },
]

/**
 * Whether a default, of which a library shows only its value, differs between calls: it is read in worlds of other clocks,
 * environments and random numbers. One that throws is computed as well.
 * @param {() => unknown} read
 */
function isComputed(read) {
  try {
    const [first, ...others] = WORLDS.map(world => inWorld(world, read))
    return others.some(value => !isDeepStrictEqual(value, first)) || !isDeepStrictEqual(read(), first)
  } catch {
    return true
  }
}

/** @param {World} world @param {() => unknown} read */
function inWorld(world, read) {
  const replaced = replacements(world).map(([holder, name, value]) => {
    const before = Object.getOwnPropertyDescriptor(holder, name)
    Object.defineProperty(holder, name, { value, configurable: true, writable: true, enumerable: before?.enumerable })
    return () =>
      before === undefined ? Reflect.deleteProperty(holder, name) : Object.defineProperty(holder, name, before)
  })
  // Modules that import functions of `node:crypto` by name.
  syncBuiltinESMExports()
  try {
    return read()
  } finally {
    for (const restore of replaced.reverse()) restore()
    syncBuiltinESMExports()
  }
}

/** @param {World} world @returns {[holder: object, name: string, value: unknown][]} */
function replacements({ now, random, variable }) {
  class FixedDate extends Date {
    /** @param {any[]} given */
    constructor(...given) {
      super(.../** @type {[any]} */ (given.length === 0 ? [now] : given))
    }
    static now() {
      return now
    }
  }
  const filled = (/** @type {NodeJS.ArrayBufferView} */ bytes) => {
    new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).fill(Math.floor(random * 256))
    return bytes
  }
  const bytesOf = (/** @type {number} */ count) => /** @type {Buffer} */ (filled(Buffer.alloc(count)))
  const uuid = () =>
    bytesOf(16)
      .toString('hex')
      .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
  const env = new Proxy({}, { get: () => variable, has: () => variable !== undefined })
  return [
    [globalThis, 'Date', FixedDate],
    [Math, 'random', () => random],
    [performance, 'now', () => now % 1e9],
    [performance, 'timeOrigin', now],
    [process, 'env', env],
    [process, 'uptime', () => now / 1000],
    [process, 'hrtime', Object.assign(() => [now, 0], { bigint: () => BigInt(now) })],
    [crypto, 'randomUUID', uuid],
    [crypto, 'randomBytes', bytesOf],
    [crypto, 'randomInt', (/** @type {number[]} */ ...bounds) => Math.floor(random * (bounds.at(-1) ?? 0))],
    [crypto.webcrypto, 'randomUUID', uuid],
    [crypto.webcrypto, 'getRandomValues', filled],
  ]
}

/**
 * Runs with a member of a library's objects replaced, and puts it back.
 * @template T
 * @param {Iterable<object>} objects
 * @param {string} name
 * @param {unknown} value
 * @param {() => T} run
 * @returns {T}
 */
function withMember(objects, name, value, run) {
  const before = [...objects].map(object => ({ object, own: Object.getOwnPropertyDescriptor(object, name) }))
  try {
    for (const { object } of before) Object.defineProperty(object, name, { value, configurable: true, writable: true })
    return run()
  } finally {
    for (const { object, own } of before)
      if (own === undefined) Reflect.deleteProperty(object, name)
      else Object.defineProperty(object, name, own)
  }
}

module.exports = { COMPUTED, isComputed, withMember }
