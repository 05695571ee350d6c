'use strict'

// `toolgate/web`: tools for pages, and links to confirmations, over web-standard requests and responses.

const { createConfirmationRoute } = require('./confirmation-route.js')
const { createToolRoute } = require('./tool-route.js')

module.exports = { createConfirmationRoute, createToolRoute }
