'use strict'

// Which host names a server answers to. A web page can reach this machine's ports by a name that its owner lets resolve
// to this machine (DNS rebinding); the browser then takes the server for the page's own. It always sends that name.

const { isIP } = require('node:net')

/** Whether a name, without port, means this machine for everybody. @param {string} name */
const isLoopbackName = name =>
  name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name)

/**
 * @param {readonly string[]} [allowed] names without port, beside those of this machine; addresses need no entry, because
 *   only names can be made to resolve to another's machine
 * @returns {(host: string | null | undefined) => boolean} whether a `Host` header, or one that a proxy sets, is known
 */
function createHostPolicy(allowed = []) {
  const names = new Set(checkedHosts(allowed))
  return host => {
    const name = hostName(host)
    return name !== null && (isLoopbackName(name) || isAddress(name) || names.has(name))
  }
}

/**
 * Names as requests have them. A name that none can have is refused, since each request would get 403.
 * @type {typeof import('./index').checkedHosts}
 */
function checkedHosts(names) {
  return names.map(entry => {
    const name = /^(\[[^\]]*\]|[^:*]+)$/.test(entry) ? hostName(entry) : null
    if (name !== null) return name
    throw new TypeError(`${shownEntry(entry)} must be a host name without port, such as \`app.example\``)
  })
}

/** What is before `@`, or in a query, may be a password. @param {unknown} entry */
const shownEntry = entry => (typeof entry === 'string' && !/[@?#]/.test(entry) ? `\`${entry}\`` : 'an entry')

/** The name in a `Host` header, in lower case, without port; null if it is none. @param {string | null | undefined} host */
function hostName(host) {
  if (typeof host !== 'string' || /[@/?#\\]/.test(host)) return null
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : null
}

/** @param {string} name */
const isAddress = name => isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0

module.exports = { checkedHosts, createHostPolicy, hostName, isLoopbackName, shownEntry }
