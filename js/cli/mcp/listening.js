'use strict'

// Starts to listen, and says what keeps a server from it.

const { CommandFailure } = require('../exit.js')

/**
 * @param {import('node:http').Server} server @param {string} host @param {number} port
 * @param {{ portFlag?: string }} [flags]
 * @returns {Promise<void>}
 * @throws {CommandFailure}
 */
function listening(server, host, port, { portFlag = '--port' } = {}) {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(cantListen(error, host, port, portFlag)))
    server.listen(port, host, resolve)
  })
}

/** @param {NodeJS.ErrnoException} error @param {string} host @param {number} port @param {string} portFlag */
function cantListen({ code, message }, host, port, portFlag) {
  /** @type {Record<string, [message: string, hint: string]>} */
  const explanations = {
    EADDRINUSE: [`port ${port} of \`${host}\` is in use`, `choose another with ${portFlag}; 0 selects a free one`],
    EACCES: [`port ${port} may not be used by this user`, `choose one from 1024 on with ${portFlag}`],
    EADDRNOTAVAIL: [`\`${host}\` is no address of this machine`, 'leave --host out, for this machine alone'],
    ENOTFOUND: [`\`${host}\` is no address of this machine`, 'leave --host out, for this machine alone'],
  }
  const [text, hint] = explanations[String(code)] ?? [`\`${host}\` port ${port} can't be listened to: ${message}`]
  return new CommandFailure(text, hint)
}

module.exports = { listening }
