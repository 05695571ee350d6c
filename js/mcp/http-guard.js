'use strict'

// Who may speak to a server that asks for no password. A web page can reach this machine's ports, also by a name of its own
// that it lets point here (DNS rebinding). A browser always says which page asks (`Origin`) and by which name (`Host`).

const { isIP } = require('node:net')

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * @param {{ hosts?: string[], origins?: string[] }} [allowed] beside this machine's own: names without port, and origins such as
 *   `https://app.example`
 * @returns {(headers: import('node:http').IncomingHttpHeaders) => string | null} why a request is refused
 */
function createHttpGuard({ hosts = [], origins = [] } = {}) {
  const names = new Set([...LOOPBACK_NAMES, ...hosts.map(name => name.toLowerCase())])
  const pages = new Set(origins.map(origin => origin.toLowerCase().replace(/\/$/, '')))
  return ({ host, origin }) => {
    if (!isServer(host, names)) return 'this server is not known by that Host'
    if (origin === undefined || pages.has(origin.toLowerCase())) return null
    return LOOPBACK_NAMES.includes(hostnameOf(origin)) ? null : 'pages of that Origin may not use this server'
  }
}

function isServer(host, names) {
  if (host === undefined || /[@/?#\\]/.test(host)) return false
  const name = hostnameOf(`http://${host}`)
  // A name can be pointed here by any site, an address cannot.
  return name !== null && (names.has(name) || isAddress(name))
}

function hostnameOf(url) {
  return URL.canParse(url) ? new URL(url).hostname : null
}

const isAddress = name => isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0

/** Whether only programs of this machine reach what listens there. */
const isLoopback = host => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

module.exports = { createHttpGuard, isLoopback }
