'use strict'

// Sets of peer addresses, written as addresses, subnets, or the word `loopback`.

const { BlockList, isIP } = require('node:net')

const LOOPBACK = ['127.0.0.0/8', '::1']

/**
 * @param {readonly string[]} entries addresses, subnets such as `10.0.0.0/8`, or `loopback`
 * @returns {(address: string | null | undefined) => boolean} whether a socket's remote address is in the set; an IPv4
 *   address mapped into IPv6 counts as itself
 * @throws {TypeError} if an entry is none of these
 */
function createAddressSet(entries) {
  const list = new BlockList()
  for (const entry of entries.flatMap(entry => (entry === 'loopback' ? LOOPBACK : entry))) addEntry(list, entry)
  return address => {
    const family = isIP(address ?? '')
    return family !== 0 && list.check(String(address), family === 4 ? 'ipv4' : 'ipv6')
  }
}

/** @param {BlockList} list @param {string} entry */
function addEntry(list, entry) {
  const [address, prefix] = entry.split('/', 2)
  const family = isIP(address)
  const bits = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix)
  if (family === 0 || prefix === '' || !Number.isInteger(bits) || bits < 0 || bits > (family === 4 ? 32 : 128)) {
    throw new TypeError(`\`${entry}\` must be an IP address, a subnet such as \`10.0.0.0/8\`, or \`loopback\``)
  }
  list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
}

/** Whether a socket's remote address is this machine. @type {(address: string | null | undefined) => boolean} */
const isLoopbackAddress = createAddressSet(['loopback'])

module.exports = { createAddressSet, isLoopbackAddress }
