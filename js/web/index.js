'use strict'

// `toolgate/web`: the routes of an agent's page, tools for pages, and links to confirmations, over web-standard requests and
// responses; the registry of a web app's process; and what routes of an app's own need: its users without a login, and the origin check.

const { createAgentRoutes } = require('./agent/index.js')
const { createConfirmationRoute } = require('./confirmation-route.js')
const { checkOrigin } = require('./request-checks.js')
const { createSessionCookie } = require('./session-cookie.js')
const { sharedRegistry } = require('./shared-registry.js')
const { createToolRoute } = require('./tool-route.js')

module.exports = {
  checkOrigin,
  createAgentRoutes,
  createConfirmationRoute,
  createSessionCookie,
  createToolRoute,
  sharedRegistry,
}
