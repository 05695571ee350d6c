'use strict'

// A worker thread that loads schema modules one after another and posts the export of each.

const { parentPort, workerData } = require('node:worker_threads')

const { describeFailure } = require('./described-failure.js')
const { AuthoringFailure } = require('./failure.js')
const { readModule } = require('./read-module.js')
const { isInstance } = require('../values/foreign.js')

/**
 * Defined before a module is loaded, because a module could replace `parentPort.postMessage`.
 * @param {import('./read-schema-modules.js').WorkerMessage} message
 */
const post = message => /** @type {import('node:worker_threads').MessagePort} */ (parentPort).postMessage(message)

/** What modules threw. @type {Set<unknown>} */
const reported = new Set()

/**
 * @param {import('./read-schema-modules.js').SchemaModule} module
 * @returns {Promise<import('./read-schema-modules.js').Outcome>}
 */
async function outcome({ file, fileName, oneFile }) {
  try {
    return { definition: await readModule(file, oneFile) }
  } catch (thrown) {
    reported.add(thrown)
    return {
      failure: isInstance(thrown, AuthoringFailure) ? thrown.details : await describeFailure(thrown, file, fileName),
    }
  }
}

async function main() {
  // Node 20 rejects a second promise by the error of a CommonJS module that does not parse: it is not of the next module.
  process.on('uncaughtException', error => {
    if (!reported.has(error)) throw error
  })
  post({})
  // The event loop is empty, but a module still awaits a promise.
  process.once('beforeExit', () => post({ waits: true }))
  for (const module of workerData) post({ folder: module.folder, outcome: await outcome(module) })
}

main()
