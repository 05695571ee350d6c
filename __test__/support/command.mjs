// The command `toolgate` in a process of its own, as a shell runs it.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const MAIN = fileURLToPath(new URL('../../js/cli/main.js', import.meta.url))

/** Long enough for a machine under load; a command that is still there then has failed. */
const LONGEST_MS = 240_000

/** Without what the tests themselves run under. */
const plainEnv = () => {
  const { NO_COLOR, FORCE_COLOR, SOURCE_DATE_EPOCH, NODE_OPTIONS, ...env } = process.env
  return env
}

/**
 * Runs a program to its end.
 * @param {string[]} words after `node`
 * @param {{ cwd: string, env?: Record<string, string> }} options
 * @returns {Promise<{ code: number | null, signal: string | null, stdout: string, stderr: string }>}
 */
export function runNode(words, { cwd, env = {} }) {
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...plainEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  })
  const told = { stdout: '', stderr: '' }
  for (const name of Object.keys(told))
    child[name].setEncoding('utf8').on('data', text => {
      told[name] += text
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, ...told }))
  })
}

/** Runs `toolgate` with these words. */
export const toolgate = (words, options) => runNode([MAIN, ...words], options)

/** Starts `toolgate`, for commands that do not end by themselves. */
export const startToolgate = (words, { cwd, env = {}, stdin = 'ignore' }) =>
  spawn(process.execPath, [MAIN, ...words], { cwd, env: { ...plainEnv(), ...env }, stdio: [stdin, 'pipe', 'pipe'] })
