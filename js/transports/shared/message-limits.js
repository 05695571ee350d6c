'use strict'
// The bounds of one message, whatever its protocol.

/** The most calls of a message: OpenAI takes 128 tools in a request. */
const MAX_CALLS = 128
/** The longest arguments of a message, together. Far above the gate's limit for one call. */
const MAX_ARGUMENTS_LENGTH = 16 * 1024 * 1024

module.exports = { MAX_ARGUMENTS_LENGTH, MAX_CALLS }
