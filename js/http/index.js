'use strict'

// `toolgate/http`: checks that every server makes before it answers.

const { createAddressSet, isLoopbackAddress } = require('./address-set.js')
const { createAuthenticator, loadAuthenticate, requireAuthentication } = require('./authentication.js')
const { isForwarded } = require('./forwarding.js')
const { createHostPolicy, hostName, isLoopbackName } = require('./host-policy.js')
const { createMetricsAccess } = require('./metrics-access.js')

module.exports = {
  createAddressSet,
  createAuthenticator,
  createHostPolicy,
  createMetricsAccess,
  hostName,
  isForwarded,
  isLoopbackAddress,
  isLoopbackName,
  loadAuthenticate,
  requireAuthentication,
}
