'use strict'

// The timers of the process, taken when this file is loaded: a test that replaces the global ones later (fake timers) would keep
// `close()`, and what waits in it, from ending.

const { clearTimeout, setImmediate, setInterval, setTimeout } = require('node:timers')

module.exports = { clearTimeout, setImmediate, setInterval, setTimeout }
