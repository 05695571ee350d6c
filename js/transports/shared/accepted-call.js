'use strict'
// A call in the form that a provider accepts when the next request repeats it. A malformed call must not make that request fail:
// the gate's answer says what was wrong with the call.
const { isObjectText } = require('./frame-reading.js')

/** Characters that no tool's name may have, and its greatest length: the API references of OpenAI and Anthropic. */
const NOT_IN_NAMES = /[^a-zA-Z0-9_-]/g
const [OPENAI_NAME_LENGTH, ANTHROPIC_NAME_LENGTH] = [64, 128]

/** @param {string} name @param {number} length */
const acceptedName = (name, length) => name.replace(NOT_IN_NAMES, '_').slice(0, length)

/** The arguments if they are an object, otherwise an empty object. @param {string} args JSON text */
const acceptedArguments = args => (isObjectText(args) ? args : '{}')

module.exports = { ANTHROPIC_NAME_LENGTH, OPENAI_NAME_LENGTH, acceptedArguments, acceptedName }
