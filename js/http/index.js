'use strict'

// `toolgate/http`: checks that every server makes before it answers.

const { createAddressSet, isLoopbackAddress } = require('./address-set.js')
const { isForwarded } = require('./forwarding.js')
const { createHostPolicy, hostName, isLoopbackName } = require('./host-policy.js')
const { createMetricsAccess } = require('./metrics-access.js')

module.exports = {
  createAddressSet,
  createHostPolicy,
  createMetricsAccess,
  hostName,
  isForwarded,
  isLoopbackAddress,
  isLoopbackName,
}
