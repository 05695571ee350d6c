// A child process for cases that may end, stop or fill the process: its answer, its time and its memory are watched from
// outside.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./case-child.mjs', import.meta.url))
/** The longest time of a case, if its target sets no other. */
const MAX_MS = 1000
/** Loading the modules of a child takes longer than a case on a busy machine. */
const MAX_START_MS = 60_000
/** The limit of JavaScript's heap, and the largest resident set. */
const MAX_HEAP_MB = 256
const MAX_RESIDENT_MB = 1024

export class WatchedChild {
  #kind
  #maxMs
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process
  /** @type {((line: string | null) => void) | undefined} */
  #receive
  #stderr = ''

  /** @param {string} kind the cases' module in fuzz/cases @param {number} [maxMs] the longest time of a case */
  constructor(kind, maxMs = MAX_MS) {
    this.#kind = kind
    this.#maxMs = maxMs
  }

  /**
   * Runs a case, twice if the first run exceeds the time: a machine that was busy is no fault.
   *
   * @param {any} input as JSON
   * @returns {Promise<{ fault: string | null, outcome: string }>}
   */
  async run(input) {
    const first = await this.#runOnce(input)
    return first.isSlow ? this.#runOnce(input) : first
  }

  close() {
    this.#process?.kill('SIGKILL')
    this.#process = undefined
  }

  /** @param {any} input */
  async #runOnce(input) {
    if (this.#process === undefined) await this.#start()
    this.#process?.stdin?.write(`${JSON.stringify(input)}\n`)
    const line = await this.#next(this.#maxMs * 3)
    if (line === null) return this.#failed()
    const { outcome, fault, ms, residentMb } = JSON.parse(line)
    if (this.#stderr.includes('panicked at')) return this.#panicked(outcome)
    if (fault !== undefined) return { fault, outcome }
    if (ms > this.#maxMs) return { fault: `took ${ms} ms`, outcome, isSlow: true }
    if (residentMb <= MAX_RESIDENT_MB) return { fault: null, outcome }
    this.close()
    return { fault: `the process has ${residentMb} MB`, outcome }
  }

  /** @param {string} outcome */
  #panicked(outcome) {
    this.close()
    return { fault: `the core panicked: ${this.#stderr.slice(-500)}`, outcome }
  }

  #failed() {
    const { exitCode, signalCode } = this.#process ?? {}
    const isSlow = exitCode === null && signalCode === null
    this.close()
    const fault = isSlow ? 'no answer' : `the process ended (${exitCode ?? signalCode}): ${this.#stderr.slice(-500)}`
    return { fault, outcome: 'failed', isSlow }
  }

  async #start() {
    this.#stderr = ''
    const child = spawn(process.execPath, [`--max-old-space-size=${MAX_HEAP_MB}`, PROGRAM, this.#kind])
    this.#process = child
    child.stderr.on('data', text => (this.#stderr = `${this.#stderr}${text}`.slice(-4000)))
    child.stdin.on('error', () => {})
    child.on('close', () => this.#process === child && this.#receive?.(null))
    createInterface({ input: child.stdout }).on('line', line => this.#receive?.(line))
    if ((await this.#next(MAX_START_MS)) === null) throw new Error(`the child did not start: ${this.#stderr}`)
  }

  /** The next line; null if the process ended or the time is over. @param {number} ms @returns {Promise<string | null>} */
  #next(ms) {
    return new Promise(resolve => {
      const timer = setTimeout(() => this.#receive?.(null), ms)
      this.#receive = line => {
        clearTimeout(timer)
        this.#receive = undefined
        resolve(line)
      }
    })
  }
}

/**
 * Runs a case as a step of a target.
 * @param {WatchedChild} child
 * @param {any} input as JSON
 * @param {import('./targets/index.mjs').Count} count counts its outcome
 * @returns {Promise<import('./report.mjs').Disagreement[]>} its fault
 */
export async function runWatched(child, input, count) {
  const { outcome, fault } = await child.run(input)
  count(outcome)
  return fault === null ? [] : [{ case: input, detail: fault }]
}
