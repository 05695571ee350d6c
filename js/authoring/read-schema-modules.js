'use strict'

// Schemas that authors write in code, as JSON for the compiler. Their modules run in a thread of their own: one that throws,
// exits, exhausts its memory or never ends is a finding, and every reading sees the modules as they are now.

const path = require('node:path')
const { Worker } = require('node:worker_threads')

const { findSchemaModules } = require('./schema-modules.js')

const WORKER = path.join(__dirname, 'worker.js')

/** How long one module may take. */
const LONGEST_MS = 10_000
/** More than any schema needs; without a bound a runaway module would take the host's memory. */
const HEAP_MB = 512

/**
 * @typedef {import('./failure.js').FailureDetails} FailureDetails
 * @typedef {{ definition: { json: string, notices: FailureDetails[] } } | { failure: FailureDetails }} Outcome
 */

/**
 * Loads every schema module below `toolsDir` and gives what it says.
 * @param {string} toolsDir an absolute path
 * @param {{ timeoutMs?: number }} [options] for each module
 * @returns {Promise<Record<string, { fileName: string, outcome: Outcome }>>} by folder; empty where no tool is written in code
 */
async function readSchemaModules(toolsDir, { timeoutMs = LONGEST_MS } = {}) {
  const modules = await findSchemaModules(toolsDir)
  const read = new Map()
  let open = modules
  while (open.length > 0) {
    const outcome = await readSome(open, timeoutMs)
    for (const [folder, one] of outcome) read.set(folder, one)
    open = open.filter(({ folder }) => !read.has(folder))
  }
  // No prototype: a folder may have any name.
  const told = Object.create(null)
  for (const { folder, fileName } of modules) told[folder] = { fileName, outcome: read.get(folder) }
  return told
}

/**
 * Reads modules one after another in one thread, up to the one that ends it.
 * @returns {Promise<Map<string, Outcome>>} by folder; never empty
 */
function readSome(modules, timeoutMs) {
  const worker = new Worker(WORKER, {
    workerData: modules,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  // What an author prints must not stand in the output of a command.
  for (const stream of [worker.stdout, worker.stderr]) stream.on('data', text => process.stderr.write(text))
  const reading = new Reading(modules)
  return new Promise(resolve => {
    let timer
    let over = false
    const end = failure => {
      if (over) return
      over = true
      clearTimeout(timer)
      if (failure !== undefined) reading.fail(failure)
      worker.terminate().then(() => resolve(reading.read))
    }
    const restart = () => {
      clearTimeout(timer)
      // Once more around the event loop: where this thread was busy, the answer may be waiting.
      timer = setTimeout(() => setImmediate(() => end(overdue(timeoutMs))), timeoutMs)
    }
    worker.on('message', message => {
      reading.take(message)
      if (message.waits) end(waits)
      else if (reading.isDone) end()
      else restart()
    })
    worker.on('error', error => end(broke(error)))
    worker.on('exit', code => end(left(code)))
  })
}

class Reading {
  #modules
  read = new Map()

  constructor(modules) {
    this.#modules = modules
  }

  get isDone() {
    return this.#current === undefined
  }
  get #current() {
    return this.#modules.find(({ folder }) => !this.read.has(folder))
  }

  /** A message of the worker: one module is read, or nothing is yet. */
  take({ folder, outcome }) {
    if (folder !== undefined) this.read.set(folder, outcome)
  }

  fail(told) {
    const module = this.#current
    if (module !== undefined) this.read.set(module.folder, { failure: { kind: 'module', ...told(module) } })
  }
}

const overdue =
  timeoutMs =>
  ({ fileName }) => ({
    message: `\`${fileName}\` is not loaded after ${timeoutMs / 1000} seconds`,
    help: 'a schema is built at once: wait for nothing there, neither for a network nor for a service',
  })

const broke =
  error =>
  ({ fileName }) =>
    error?.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? { message: `\`${fileName}\` needs more than ${HEAP_MB} MB of memory`, help: 'look for a loop that never ends' }
      : {
          message: `\`${fileName}\` starts something that throws: ${error?.message ?? error}`,
          help: 'export the schema and start no timer and no promise there',
        }

const waits = ({ fileName }) => ({
  message: `\`${fileName}\` waits for a promise that nothing settles`,
  help: 'remove the `await`',
})

const left =
  code =>
  ({ fileName }) => ({
    message: `\`${fileName}\` ends the process (exit code ${code})`,
    help: 'remove the call of `process.exit`',
  })

module.exports = { readSchemaModules }
