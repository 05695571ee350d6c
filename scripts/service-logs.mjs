// The lines of the demo's services, audit lines too: in a file for each service, or, if they are asked for, on the terminal.
import { mkdirSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'

import { root } from './run-step.mjs'

/** Of a service that fails: the last lines, which say why. */
const LAST_LINES = 20

/**
 * @param {{ isVerbose: boolean }} how
 * @returns {{ write: (name: string, line: string) => void, files: () => string[], lastLines: () => string }} `files`: paths for
 *   people; none if the lines are printed
 */
export function openServiceLogs({ isVerbose }) {
  const folder = path.join(root, '.toolgate', 'logs')
  /** @type {Map<string, { file: string, descriptor: number, last: string[] }>} */
  const logs = new Map()
  const logOf = name => {
    if (!logs.has(name)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const file = path.join(folder, `${name}.log`)
      logs.set(name, { file, descriptor: openSync(file, 'w', 0o600), last: [] })
    }
    return logs.get(name)
  }
  const shown = (name, line) => `${name.padEnd(5)} │ ${line}`
  return {
    write(name, line) {
      if (isVerbose) return console.log(shown(name, line))
      const { descriptor, last } = logOf(name)
      writeSync(descriptor, `${line}\n`)
      last.push(shown(name, line))
      if (last.length > LAST_LINES) last.shift()
    },
    files: () => [...logs.values()].map(({ file }) => path.relative(process.cwd(), file)),
    lastLines: () => [...logs.values()].flatMap(({ last }) => last).join('\n'),
  }
}
