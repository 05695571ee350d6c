'use strict'

// A server's own log: JSON lines, by default on standard error. Standard output is reserved for audit lines.

/** The most severe first. */
const LEVELS = /** @type {const} */ (['error', 'warn', 'info'])

/** @typedef {import('./index').LogLevel} LogLevel */

/** @param {Record<string, string | undefined>} env @returns {LogLevel} @throws {TypeError} if it is no level */
function logLevelOf(env) {
  const text = env.TOOLGATE_LOG ?? ''
  const level = LEVELS.find(one => one === text)
  if (level === undefined && text !== '') throw new TypeError(`TOOLGATE_LOG \`${text}\` must be ${LEVELS.join(', ')}`)
  return level ?? 'info'
}

/** @param {string} line */
const writeToStderr = line => void process.stderr.write(line)

/** @type {typeof import('./index').createLogger} */
function createLogger({ level: least = 'info', write = writeToStderr } = {}) {
  /** @param {LogLevel} level */
  const at = level => {
    if (LEVELS.indexOf(level) > LEVELS.indexOf(least)) return () => {}
    return (/** @type {string} */ message, /** @type {object | undefined} */ fields) =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`)
  }
  return { error: at('error'), warn: at('warn'), info: at('info') }
}

module.exports = { createLogger, logLevelOf }
