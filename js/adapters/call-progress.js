'use strict'

// The progress of a call, for the frameworks that take it while a tool runs.

const { messageOf } = require('../values/foreign.js')

/**
 * @typedef {import('toolgate').JsonValue} JsonValue
 * @typedef {import('toolgate').ProgressNews} ProgressNews
 * @typedef {import('../gate/session.js').Session} Session
 * @typedef {(update: JsonValue) => unknown} TakeProgress a function of the framework
 */

/**
 * Makes a call, and passes its progress on until it is answered. A framework that fails to take it gets no more, and the call goes on:
 * its answer must not be lost.
 * @template T
 * @param {{ session: import('toolgate').Session, call: { id?: string | null, name: string }, onProgress?: TakeProgress }} heard
 * @param {() => Promise<T>} make
 * @returns {Promise<T>}
 */
async function withProgress({ session, call, onProgress }, make) {
  if (onProgress === undefined || !call.id) return make()
  let isTaken = true
  /** @param {unknown} error */
  const fail = error => {
    if (!isTaken) return
    isTaken = false
    stop()
    process.emitWarning(`the progress of \`${call.name}\` was not taken: ${messageOf(error)}`, 'ToolgateWarning')
  }
  const stop = /** @type {Session} */ (session).hearProgress(call.id, ({ update }) => {
    try {
      Promise.resolve(onProgress(update)).catch(fail)
    } catch (error) {
      fail(error)
    }
  })
  try {
    return await make()
  } finally {
    stop()
  }
}

/**
 * Progress as a chunk of a framework's stream.
 * @param {{ id?: string | null, name: string }} call as the host knows it
 * @param {JsonValue} update
 * @returns {import('./tool-call.js').ProgressChunk}
 */
const progressChunk = ({ id, name }, update) => ({ type: 'toolgate_progress', callId: id ?? '', name, update })

/**
 * The progress of a call that has begun, and then its answer. A reader that leaves early changes nothing for the call.
 * @template T
 * @param {(onProgress: TakeProgress) => Promise<T>} make
 * @param {(update: JsonValue) => T} toPreliminary
 * @returns {AsyncGenerator<T, void, undefined>}
 */
function progressThenAnswer(make, toPreliminary) {
  /** @type {JsonValue[]} */
  const updates = []
  let wake = () => {}
  const answer = make(update => {
    updates.push(update)
    wake()
  })
  let isAnswered = false
  const ended = () => {
    isAnswered = true
    wake()
  }
  answer.then(ended, ended)
  return (async function* () {
    for (;;) {
      for (const update of updates.splice(0)) yield toPreliminary(update)
      if (updates.length > 0) continue
      if (isAnswered) break
      await new Promise(resolve => (wake = () => resolve(undefined)))
    }
    yield await answer
  })()
}

module.exports = { progressChunk, progressThenAnswer, withProgress }
