'use strict'

// `toolgate/web`: the routes of an agent's page, tools for pages, and links to confirmations, over web-standard requests and
// responses; and the registry of a web app's process.

const { createAgentRoutes } = require('./agent/index.js')
const { createConfirmationRoute } = require('./confirmation-route.js')
const { sharedRegistry } = require('./shared-registry.js')
const { createToolRoute } = require('./tool-route.js')

module.exports = { createAgentRoutes, createConfirmationRoute, createToolRoute, sharedRegistry }
