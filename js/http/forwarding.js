'use strict'

// Whether a request came through a proxy. The connection's address is then the proxy's, not the client's.

const FORWARDING = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-.*)$/

/** @param {Record<string, unknown>} headers of `IncomingMessage`: names in lower case */
const isForwarded = headers => Object.keys(headers).some(name => FORWARDING.test(name))

module.exports = { isForwarded }
