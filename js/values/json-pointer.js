'use strict'

// JSON Pointers (RFC 6901).

/** A member's name as a reference token. @param {PropertyKey} name */
const escapedToken = name => String(name).replaceAll('~', '~0').replaceAll('/', '~1')

/** The pointer of a member. @param {PropertyKey[]} names of the members on the way */
const pointer = names => names.map(name => `/${escapedToken(name)}`).join('')

/** The names in a pointer. @param {string} text */
const pointerNames = text =>
  text
    .split('/')
    .slice(1)
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))

module.exports = { escapedToken, pointer, pointerNames }
