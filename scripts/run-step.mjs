// One step of a longer job: a child process, named on the terminal, whose failure ends the job.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** npm's own script where npm runs us; `npm` as the shell finds it elsewhere. */
export const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']

/** The steps so far, with the time that each took. @type {{ title: string, seconds: number }[]} */
const times = []

/** Where steps are named, and what they print goes. */
let out = process.stdout

/** Keeps standard output for what another program reads, such as the result of `npm pack --json`. */
export function showStepsOnStderr() {
  out = process.stderr
}

/** @param {string} line */
const show = line => void out.write(`${line}\n`)

/**
 * Runs a job of steps, and prints what each step took, if it took a second. A failure ends the process with 1.
 * @param {() => Promise<void>} job
 * @param {string} done printed if no step failed
 */
export async function runSteps(job, done) {
  try {
    await job()
    const long = times.filter(({ seconds }) => seconds >= 1)
    for (const { title, seconds } of long) show(`${seconds.toFixed(0).padStart(5)} s  ${title}`)
    show(`\n${done}`)
  } catch (error) {
    console.error(`\n${/** @type {Error} */ (error).message}`)
    process.exitCode = 1
  }
}

/**
 * Runs jobs beside each other, and waits for all of them. The output of their steps is printed as each of these ends.
 * @param {(() => Promise<void>)[]} jobs
 */
export async function runTogether(jobs) {
  isBeside = true
  const ended = await Promise.allSettled(jobs.map(job => job()))
  isBeside = false
  const failed = ended.find(({ status }) => status === 'rejected')
  if (failed !== undefined) throw /** @type {PromiseRejectedResult} */ (failed).reason
}

/** Whether steps run beside each other. */
let isBeside = false

/** Characters of a failed step's output that its error repeats: another step's output may be thousands of lines after it. */
const REPEATED = 6000

/** @param {string[]} args @param {{ cwd?: string, env?: Record<string, string> }} [options] */
export const runNpm = (args, options) => runStep(`npm ${args.join(' ')}`, [...npm, ...args], options)

/**
 * Runs a command to its end, its output on ours.
 * @param {string} title @param {string[]} command @param {{ cwd?: string, env?: Record<string, string> }} [options]
 * @returns {Promise<void>} rejects where the exit code is not 0
 */
export function runStep(title, command, { cwd = root, env = {} } = {}) {
  const began = Date.now()
  const heading = `\n▸ ${title}${cwd === root ? '' : ` (in ${cwd.slice(root.length)})`}`
  show(isBeside ? `${heading}: its output follows at its end` : heading)
  const [program, ...args] = command
  const output = isBeside ? 'pipe' : out.fd
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, isBeside ? 'pipe' : 'inherit'],
  })
  /** @type {Buffer[]} */
  const held = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => held.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', cause => reject(new Error(`${title}: ${cause.message}`, { cause })))
    child.on('close', (code, signal) => {
      times.push({ title, seconds: (Date.now() - began) / 1000 })
      const printed = Buffer.concat(held).toString()
      if (output === 'pipe') show(`${heading}\n${printed}`)
      if (code === 0) resolve()
      else reject(new Error(`${printed.slice(-REPEATED)}\n${title} failed (${signal ?? `exit code ${code}`})`))
    })
  })
}
