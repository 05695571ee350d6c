'use strict'

// The answered calls of this process as lines for the inspector, with masked arguments and answers: bounded lines, and a bounded
// file that several servers share.

const { appendFileSync, renameSync, statSync } = require('node:fs')

const { callChannel } = require('../observe/call-channel.js')

/** Longer arguments or answers are cut. */
const MAX_CHARACTERS = 8 * 1024
/** The file is put aside at this size; one older file is kept. */
const MAX_BYTES = 8 * 1024 * 1024

/** @typedef {import('../../index.js').CallMessage} CallMessage */

/** @type {typeof import('./index').listenToCalls} */
function listenToCalls(hear) {
  /** @param {unknown} message */
  const listener = message => hear(lineOf(/** @type {CallMessage} */ (message)))
  callChannel.subscribe(listener)
  return () => void callChannel.unsubscribe(listener)
}

/** @param {CallMessage} message */
function lineOf(message) {
  const { sessionId, principal, toolId, callId, parentCallId, mode, turn } = message
  const { outcome, errorType, attempts, durationMs } = message
  const line = {
    at: new Date().toISOString(),
    event: 'call',
    sessionId,
    principal,
    toolId,
    callId,
    parentCallId,
    mode,
    turn,
  }
  return JSON.stringify({
    ...line,
    ...{ outcome, errorType, attempts, durationMs },
    ...{ args: cut(message.args), answer: cut(message.answer) },
  })
}

/** A value that is not too long; else the beginning of its text. @param {unknown} value */
function cut(value) {
  const text = JSON.stringify(value)
  return text.length <= MAX_CHARACTERS
    ? value
    : { cut: text.slice(0, MAX_CHARACTERS).toWellFormed(), characters: text.length }
}

/** @type {typeof import('./index').keepCalls} */
function keepCalls(env, onFailure) {
  const file = env.TOOLGATE_INSPECTOR_CALLS
  if (!file) return () => {}
  let hasFailed = false
  return listenToCalls(line => {
    try {
      append(file, line)
      hasFailed = false
    } catch (error) {
      if (!hasFailed) onFailure(/** @type {Error} */ (error))
      hasFailed = true
    }
  })
}

/** @param {string} file @param {string} line */
function append(file, line) {
  // Another process may have put the file aside meanwhile.
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size > MAX_BYTES) renameSync(file, `${file}.old`)
  appendFileSync(file, `${line}\n`, { mode: 0o600 })
}

module.exports = { keepCalls, listenToCalls }
