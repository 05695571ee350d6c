'use strict'

// What one check says.

/**
 * @typedef {{ check: string, status: 'ok' | 'warning' | 'problem', message: string, help?: string }} Verdict `help`: what to do
 */

/** @returns {Verdict} */
const ok = (check, message) => ({ check, status: 'ok', message })
/** It works; it may surprise. @returns {Verdict} */
const warning = (check, message, help) => ({ check, status: 'warning', message, help })
/** It does not work. @returns {Verdict} */
const problem = (check, message, help) => ({ check, status: 'problem', message, help })

module.exports = { ok, problem, warning }
