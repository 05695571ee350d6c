'use strict'

// Checks of `Host` and `Origin` for a server without authentication. A web page can reach this machine's ports, also by
// a host name that it resolves to this machine (DNS rebinding). A browser always sends the page (`Origin`) and the name
// (`Host`).

const { isIP } = require('node:net')

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * @param {{ hosts?: string[], origins?: string[] }} [allowed] beside this machine's own: names without port, and
 *   origins such as `https://app.example`
 * @returns {(headers: import('node:http').IncomingHttpHeaders) => string | null} the reason if a request is refused
 */
function createHttpGuard({ hosts = [], origins = [] } = {}) {
  const names = new Set([...LOOPBACK_NAMES, ...hosts.map(name => name.toLowerCase())])
  const pages = new Set(origins.map(origin => origin.toLowerCase().replace(/\/$/, '')))
  return ({ host, origin }) => {
    if (!isServer(host, names)) return 'this server is not known by that Host'
    if (origin === undefined || pages.has(origin.toLowerCase())) return null
    return LOOPBACK_NAMES.includes(hostnameOf(origin) ?? '') ? null : 'pages of that Origin may not use this server'
  }
}

/** @param {string | undefined} host @param {Set<string>} names */
function isServer(host, names) {
  if (host === undefined || /[@/?#\\]/.test(host)) return false
  const name = hostnameOf(`http://${host}`)
  // Any site can let a name resolve to this machine, but not an address.
  return name !== null && (names.has(name) || isAddress(name))
}

/** @param {string} url */
function hostnameOf(url) {
  return URL.canParse(url) ? new URL(url).hostname : null
}

/** @param {string} name */
const isAddress = name => isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0

/** Whether only programs of this machine reach a listener at this address. @param {string} host */
const isLoopback = host => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

module.exports = { createHttpGuard, isLoopback }
