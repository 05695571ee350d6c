'use strict'

// What a server may ask of an MCP client, and the capability by which a client says that it answers.

const CAPABILITIES = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
])

/** @param {Record<string, any> | undefined} capabilities the client's, or what it is allowed @param {string} method foreign */
function answersMethod(capabilities, method) {
  const capability = CAPABILITIES.get(method)
  return capability !== undefined && capabilities?.[capability] !== undefined
}

module.exports = { answersMethod }
