'use strict'

// The result of one check.

/**
 * @typedef {{ check: string, status: 'ok' | 'warning' | 'problem', message: string, help?: string }} CheckResult
 *   `help`: what to do
 */

/** @returns {CheckResult} @param {string} check @param {string} message */
const ok = (check, message) => ({ check, status: 'ok', message })
/**
 * Works, but may be unexpected. @returns {CheckResult}
 * @param {string} check
 * @param {string} message
 * @param {string} help
 */
const warning = (check, message, help) => ({ check, status: 'warning', message, help })
/** Does not work. @returns {CheckResult} @param {string} check @param {string} message @param {string} help */
const problem = (check, message, help) => ({ check, status: 'problem', message, help })

module.exports = { ok, problem, warning }
