'use strict'

// Reads schemas that authors write in code, as JSON for the compiler. The modules run in a worker thread: a module that
// throws, exits, exhausts its memory or never ends becomes a finding, and every read loads the current files.

const path = require('node:path')
const { Worker } = require('node:worker_threads')

const { findSchemaModules } = require('./schema-modules.js')

const WORKER = path.join(__dirname, 'worker.js')

/** The time limit for one module. */
const MODULE_TIMEOUT_MS = 10_000
/** Exceeds the need of any schema; without a limit a runaway module would exhaust the host's memory. */
const HEAP_MB = 512

/**
 * @typedef {import('./failure.js').FailureDetails} FailureDetails
 * @typedef {{ definition: import('./read-module.js').ModuleContent } | { failure: FailureDetails }} Outcome
 * @typedef {{ folder: string, fileName: string, file: string, oneFile?: string }} SchemaModule `oneFile`: the module of a tool in
 *   one file, which the build's `file` imports
 * @typedef {{ folder?: string, outcome?: Outcome, waits?: true }} WorkerMessage
 * @typedef {(module: SchemaModule) => { message: string, help: string }} DescribeFailure
 */

/**
 * Loads every schema module below `toolsDir`.
 * @param {string} toolsDir an absolute path
 * @param {{ timeoutMs?: number, oneFile?: Map<string, string> }} [options] `timeoutMs`: for each module; `oneFile`: by folder, the
 *   module of a tool in one file
 * @returns {Promise<Record<string, { fileName: string, outcome: Outcome }>>} by folder; empty if there is no schema
 *   module
 */
async function readSchemaModules(toolsDir, { timeoutMs = MODULE_TIMEOUT_MS, oneFile } = {}) {
  const modules = (await findSchemaModules(toolsDir)).map(module => ({
    ...module,
    oneFile: oneFile?.get(module.folder),
  }))
  /** @type {Map<string, Outcome>} */
  const read = new Map()
  let remaining = modules
  while (remaining.length > 0) {
    const outcome = await readUntilFailure(remaining, timeoutMs)
    for (const [folder, one] of outcome) read.set(folder, one)
    remaining = remaining.filter(({ folder }) => !read.has(folder))
  }
  // No prototype: a folder may be named `__proto__`.
  const outcomes = Object.create(null)
  for (const { folder, fileName } of modules) outcomes[folder] = { fileName, outcome: read.get(folder) }
  return outcomes
}

/**
 * Reads modules one after another in one thread, up to the module that ends the thread.
 * @returns {Promise<Map<string, Outcome>>} by folder; never empty
 * @param {SchemaModule[]} modules
 * @param {number} timeoutMs
 */
function readUntilFailure(modules, timeoutMs) {
  const worker = new Worker(WORKER, {
    workerData: modules,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  // The author's output must not mix with a command's standard output.
  for (const stream of [worker.stdout, worker.stderr]) stream.on('data', text => process.stderr.write(text))
  const reading = new Reading(modules)
  return new Promise(resolve => {
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    let over = false
    /** @param {DescribeFailure} [failure] */
    const end = failure => {
      if (over) return
      over = true
      clearTimeout(timer)
      if (failure !== undefined) reading.fail(failure)
      worker.terminate().then(() => resolve(reading.read))
    }
    const restart = () => {
      clearTimeout(timer)
      // One more turn of the event loop: if this thread was busy, the answer may already be queued.
      timer = setTimeout(() => setImmediate(() => end(timedOut(timeoutMs))), timeoutMs)
    }
    worker.on('message', message => {
      reading.take(message)
      if (message.waits) end(neverSettles)
      else if (reading.isDone) end()
      else restart()
    })
    worker.on('error', error => end(failedAsynchronously(error)))
    worker.on('exit', code => end(exited(code)))
  })
}

class Reading {
  #modules
  /** @type {Map<string, Outcome>} */
  read = new Map()

  /** @param {SchemaModule[]} modules */
  constructor(modules) {
    this.#modules = modules
  }

  get isDone() {
    return this.#current === undefined
  }
  get #current() {
    return this.#modules.find(({ folder }) => !this.read.has(folder))
  }

  /**
   * Handles a message of the worker: the outcome of a module, or the sign that the worker has started.
   * @param {WorkerMessage} message
   */
  take({ folder, outcome }) {
    if (folder !== undefined) this.read.set(folder, /** @type {Outcome} */ (outcome))
  }

  /** @param {DescribeFailure} describe */
  fail(describe) {
    const module = this.#current
    if (module !== undefined) this.read.set(module.folder, { failure: { kind: 'module', ...describe(module) } })
  }
}

/** @param {number} timeoutMs @returns {DescribeFailure} */
const timedOut =
  timeoutMs =>
  ({ fileName }) => ({
    message: `\`${fileName}\` is not loaded after ${timeoutMs / 1000} seconds`,
    help: 'build the schema synchronously: do not wait for a network or a service',
  })

/** @param {NodeJS.ErrnoException} error @returns {DescribeFailure} */
const failedAsynchronously =
  error =>
  ({ fileName }) =>
    error?.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? { message: `\`${fileName}\` needs more than ${HEAP_MB} MB of memory`, help: 'look for a loop that never ends' }
      : {
          message: `\`${fileName}\` throws asynchronously: ${error?.message ?? error}`,
          help: 'export the schema; start no timer and no promise',
        }

/** @type {DescribeFailure} */
const neverSettles = ({ fileName }) => ({
  message: `\`${fileName}\` waits for a promise that never settles`,
  help: 'remove the `await`',
})

/** @param {number} code @returns {DescribeFailure} */
const exited =
  code =>
  ({ fileName }) => ({
    message: `\`${fileName}\` ends the process (exit code ${code})`,
    help: 'remove the call of `process.exit`',
  })

module.exports = { readSchemaModules }
