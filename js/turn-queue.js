'use strict'

// Work in parts, one part in a turn of the event loop, so that nothing else waits long for the thread.

const { AsyncResource } = require('node:async_hooks')

/** @typedef {{ advance(): boolean }} Work `advance` does a part, and returns true after the last one; it does not throw */

/** First come, first served. @type {Work[]} */
const waiting = []
let isScheduled = false

function schedule() {
  if (isScheduled || waiting.length === 0) return
  isScheduled = true
  setImmediate(runTurn)
}

// What follows from the work belongs to no call of the host's: it gets the context of no caller.
const runTurn = AsyncResource.bind(() => {
  isScheduled = false
  const work = waiting.shift()
  let isDone = true
  try {
    isDone = work?.advance() ?? true
  } finally {
    if (!isDone) waiting.unshift(/** @type {Work} */ (work))
    schedule()
  }
})

/** Adds work, unless it waits already. @param {Work} work */
function addWork(work) {
  if (!waiting.includes(work)) waiting.push(work)
  schedule()
}

/** @param {Work} work that is not needed any more */
function removeWork(work) {
  const index = waiting.indexOf(work)
  if (index !== -1) waiting.splice(index, 1)
}

module.exports = { addWork, removeWork }
