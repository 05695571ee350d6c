'use strict'

// Keeps secrets out of what is said about a connection: libraries quote headers and URLs in their errors.

const { memberOf } = require('../values/foreign.js')

/** A shorter value would hide parts of plain words. */
const MIN_LENGTH = 4
const MASK = '***'
/** The longest chain of causes that is looked through. */
const MAX_CAUSES = 8

class Redaction {
  /** The longest first, so that no part of one is left. @type {string[]} */
  #secrets

  /** @param {(string | undefined)[]} secrets */
  constructor(secrets) {
    const texts = secrets.flatMap(secret =>
      secret === undefined ? [] : [secret, ...secret.split(/\s+/), encodeURIComponent(secret)],
    )
    const long = texts.filter(text => text.length >= MIN_LENGTH)
    this.#secrets = [...new Set(long)].sort((one, other) => other.length - one.length)
  }

  /** @param {string} text */
  text(text) {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, MASK), text)
  }

  /** The same error; its message and its data, and those of its causes, without secrets. @template T @param {T} error @returns {T} */
  error(error) {
    /** @type {unknown} */
    let one = error
    for (let depth = 0; depth < MAX_CAUSES && typeof one === 'object' && one !== null; depth += 1) {
      for (const name of ['message', 'data']) {
        const said = memberOf(one, name)
        const shown = this.value(said)
        if (shown !== said) Object.defineProperty(one, name, { value: shown, configurable: true, writable: true })
      }
      one = memberOf(one, 'cause')
    }
    return error
  }

  /** Without secrets in texts and names of members. @param {unknown} value of JSON @returns {unknown} the same if it has no secret */
  value(value) {
    if (typeof value === 'string') return this.text(value)
    const json = JSON.stringify(value)
    if (json === undefined || this.#secrets.length === 0) return value
    return JSON.parse(json, (_, part) => {
      if (typeof part === 'string') return this.text(part)
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
      return Object.fromEntries(Object.entries(part).map(([name, member]) => [this.text(name), member]))
    })
  }
}

module.exports = { Redaction }
