'use strict'

// `toolgate/web`: tools for pages, over web-standard requests and responses.

const { createToolRoute } = require('./tool-route.js')

module.exports = { createToolRoute }
