'use strict'

// The canonical form of JSON (RFC 8785), and the hash of arguments in it.

const { isUint8Array } = require('node:util/types')

const native = require('../../native.js')
const { jsonText, receivedText } = require('./json-text.js')
const { withTypeErrors } = require('../gate/type-errors.js')

/** @param {unknown} textOrValue */
function canonicalJson(textOrValue) {
  const text = inputText(textOrValue)
  return withTypeErrors(() => native.canonicalJson(text))
}

/** @param {unknown} textOrValue */
function argsHash(textOrValue) {
  const text = inputText(textOrValue)
  return withTypeErrors(() => native.argsHash(text))
}

/** JSON text unchanged; any other value as its JSON text. @param {unknown} textOrValue */
function inputText(textOrValue) {
  const isText = typeof textOrValue === 'string' || isUint8Array(textOrValue)
  const { text, problem } = isText ? receivedText(textOrValue) : jsonText(textOrValue)
  if (problem !== null || text === undefined)
    throw new TypeError(`the value can't be written as JSON: ${problem ?? `${typeof textOrValue} is not JSON`}`)
  return text
}

module.exports = { argsHash, canonicalJson }
