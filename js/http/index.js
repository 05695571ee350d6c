'use strict'

// `toolgate/http`: checks that every server makes before it answers.

const { createAddressSet, isLoopbackAddress } = require('./address-set.js')
const { allowsAnonymous, createAuthenticator, loadAuthenticate, requireAuthentication } = require('./authentication.js')
const { checkedOrigins } = require('./allowed-origins.js')
const { setBodyDeadline } = require('./body-deadline.js')
const { isForwarded } = require('./forwarding.js')
const { createClientAddress } = require('./client-address.js')
const { clientLimitsOf, createClientLimits } = require('./client-limits.js')
const { endpointUrl } = require('./endpoint-url.js')
const { messageOf } = require('../values/foreign.js')
const { createHealthProbes } = require('./health.js')
const { checkedHosts, createHostPolicy, hostName, isLoopbackName } = require('./host-policy.js')
const { keepCalls, listenToCalls } = require('./kept-calls.js')
const { createLogger, logLevelOf } = require('./logger.js')
const { createMetricsAccess, metricsRefusal } = require('./metrics-access.js')
const { DEFAULT_MODELS, endingModels } = require('./models.js')
const { openaiEndpoint } = require('./openai-endpoint.js')
const { refuseUpgrade } = require('./refused-upgrade.js')
const { toolServiceSettings } = require('./service-settings.js')
const { SETTINGS, misspeltSettings } = require('./settings.js')
const {
  VOICE_ORIGIN_WORDS,
  allowedHostsOf,
  auditSinkOf,
  cookieSecretOf,
  inspectorHostsOf,
  inspectorSecretOf,
  metricsTokenOf,
  resumeSecretOf,
  traceEndpointOf,
  trustedProxiesOf,
  voiceOriginsOf,
  voiceUrlOf,
  webOriginsOf,
} = require('./setting-values.js')
const { acceptStoreOnSignal } = require('./store-acceptance.js')
const { TokenBucket } = require('./token-bucket.js')

module.exports = {
  DEFAULT_MODELS,
  SETTINGS,
  TokenBucket,
  VOICE_ORIGIN_WORDS,
  acceptStoreOnSignal,
  allowedHostsOf,
  allowsAnonymous,
  auditSinkOf,
  checkedHosts,
  checkedOrigins,
  clientLimitsOf,
  cookieSecretOf,
  createAddressSet,
  createAuthenticator,
  createClientAddress,
  createClientLimits,
  createHealthProbes,
  createHostPolicy,
  createLogger,
  createMetricsAccess,
  endingModels,
  endpointUrl,
  hostName,
  inspectorHostsOf,
  inspectorSecretOf,
  isForwarded,
  isLoopbackAddress,
  isLoopbackName,
  keepCalls,
  listenToCalls,
  loadAuthenticate,
  logLevelOf,
  messageOf,
  metricsRefusal,
  metricsTokenOf,
  misspeltSettings,
  openaiEndpoint,
  refuseUpgrade,
  requireAuthentication,
  resumeSecretOf,
  setBodyDeadline,
  toolServiceSettings,
  traceEndpointOf,
  trustedProxiesOf,
  voiceOriginsOf,
  voiceUrlOf,
  webOriginsOf,
}
