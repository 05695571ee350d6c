'use strict'

// Checks of `Host` and `Origin` for a server without authentication. A browser always sends the page (`Origin`).

const { checkedOrigins } = require('../http/allowed-origins.js')
const { createHostPolicy, isLoopbackName } = require('../http/host-policy.js')

/**
 * @param {{ hosts?: string[], origins?: string[] }} [allowed] beside this machine's own: names without port, and
 *   origins such as `https://app.example`
 * @returns {(headers: import('node:http').IncomingHttpHeaders) => string | null} the reason if a request is refused
 */
function createHttpGuard({ hosts = [], origins = [] } = {}) {
  const isKnown = createHostPolicy(hosts)
  const pages = new Set(checkedOrigins(origins))
  return ({ host, origin }) => {
    if (!isKnown(host)) return 'this server is not known by that Host'
    if (origin === undefined || pages.has(origin.toLowerCase())) return null
    return isLoopbackName(hostnameOf(origin) ?? '') ? null : 'pages of that Origin may not use this server'
  }
}

/** @param {string} url */
function hostnameOf(url) {
  return URL.canParse(url) ? new URL(url).hostname : null
}

/** Whether only programs of this machine reach a listener at this address. @param {string} host */
const isLoopback = host => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

module.exports = { createHttpGuard, isLoopback }
