'use strict'

const { createHash } = require('node:crypto')

const { canonicalJson } = require('../values/canonical-json.js')

/** SHA-256 of the canonical form (RFC 8785) of a value or of a JSON text, in hex. @param {unknown} value @throws {TypeError} if it has none */
const digestOf = value => createHash('sha256').update(canonicalJson(value)).digest('hex')

module.exports = { digestOf }
