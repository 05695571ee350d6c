// Node programs of the tests in processes of their own: written beside their tools, bounded in time, ended by their id.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import { temporaryFolder } from './tool-set.mjs'

/** The package, for `import … from`. */
export const PACKAGE = new URL('../../index.js', import.meta.url).href

/** Long enough for a machine under load; a program that is still there then has failed. */
const LONGEST_MS = 120_000

/**
 * Runs a module to its end.
 * @param {string} source of an ES module
 * @param {{ flags?: string[], env?: Record<string, string>, cwd?: string, onLine?: (line: string, child: object) => void, longestMs?: number }} [options]
 *   `onLine` hears each line of its standard output, and can write to its standard input
 * @returns {Promise<{ code: number | null, signal: string | null, stdout: string, stderr: string, overdue: boolean }>}
 */
export function runModule(source, { flags = [], env = {}, cwd, onLine, longestMs = LONGEST_MS } = {}) {
  const file = path.join(temporaryFolder(), 'main.mjs')
  writeFileSync(file, source)
  const child = spawn(process.execPath, [...flags, file], { cwd, env: { ...process.env, NODE_OPTIONS: '', ...env } })
  const told = { stdout: '', stderr: '', overdue: false }
  collect(child, told, onLine)
  const overdue = setTimeout(() => {
    told.overdue = true
    child.kill('SIGKILL')
  }, longestMs)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(overdue)
      resolve({ code, signal, ...told })
    })
  })
}

function collect(child, told, onLine = () => {}) {
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    told.stdout += text
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    lines.forEach(line => onLine(line, child))
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    told.stderr += text
  })
}
