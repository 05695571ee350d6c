'use strict'

// Whose request it is, by address: the connection's, or the one that a trusted proxy reports.

const { isIP } = require('node:net')
const { createAddressSet, isLoopbackAddress } = require('./address-set.js')
const { isForwarded } = require('./forwarding.js')

/**
 * @typedef {{ headers: Record<string, unknown>, socket: { remoteAddress?: string } }} AddressedRequest `headers`: names in
 *   lower case
 */

/**
 * @param {readonly string[]} [trustedProxies] addresses, subnets, or `loopback`
 * @returns {(request: AddressedRequest) => string | null} the client's address, of IPv6 the /64 network, which is what one
 *   subscriber has; null for a program of this machine that asks directly
 * @throws {TypeError} if an entry is invalid
 */
function createClientAddress(trustedProxies = []) {
  const isTrusted = createAddressSet(trustedProxies)
  return ({ headers, socket }) => {
    if (!isForwarded(headers) && isLoopbackAddress(socket.remoteAddress)) return null
    // Each proxy appends the address of its own peer: the list is believed from its end.
    const hops = String(headers['x-forwarded-for'] ?? '').split(',')
    let address = socket.remoteAddress ?? 'unknown'
    while (isTrusted(address) && hops.length > 0) {
      const hop = String(hops.pop()).trim()
      if (isIP(hop) === 0) break
      address = hop
    }
    return networkOf(address)
  }
}

/** @param {string} address */
function networkOf(address) {
  if (isIP(address) !== 6) return address
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  return mapped ?? `${groupsOf(address).slice(0, 4).join(':')}::/64`
}

/** The eight groups of an IPv6 address, without leading zeros. @param {string} address */
function groupsOf(address) {
  const canonical = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1)
  const [head, tail] = canonical.split('::').map(side => side.split(':').filter(group => group !== ''))
  if (tail === undefined) return head
  return [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail]
}

module.exports = { createClientAddress }
