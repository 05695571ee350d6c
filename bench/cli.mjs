// How long a command takes from its start to its end, in fresh processes: Toolgate's commands beside Node doing nothing, and
// beside the start of other tools' commands.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { median } from './statistics.mjs'
import { writeToolFolders } from './tool-set.mjs'
import { manyTools } from './workload.mjs'

const TIMES = 15
const QUICK_TIMES = 2
const root = fileURLToPath(new URL('../', import.meta.url))
const CLI = `${root}js/cli/main.js`

/** The commands by name; of others, what npm starts for them. @param {string} toolsDir */
const commandsFor = toolsDir => ({
  'node -e 0': ['-e', '0'],
  'toolgate --version': [CLI, '--version'],
  'toolgate --help': [CLI, '--help'],
  'toolgate check, two tools': [CLI, 'check', toolsDir],
  'oxlint --version': [`${root}node_modules/oxlint/bin/oxlint`, '--version'],
  'biome --version': [`${root}bench/peers/node_modules/@biomejs/biome/bin/biome`, '--version'],
})

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ times: number, ms: Record<string, number> }>} medians by command; a tool that is not installed is absent
 */
export async function measureCli({ isQuick }) {
  const times = isQuick ? QUICK_TIMES : TIMES
  const { toolsDir, remove } = writeToolFolders(manyTools(2))
  try {
    const commands = Object.entries(commandsFor(toolsDir)).filter(([, [file]]) => file === '-e' || existsSync(file))
    /** @type {Record<string, number[]>} */
    const samples = Object.fromEntries(commands.map(([name]) => [name, []]))
    for (let round = 0; round < times; round++)
      for (const [name, args] of commands) samples[name].push(timeOf(name, args))
    return { times, ms: Object.fromEntries(commands.map(([name]) => [name, median(samples[name])])) }
  } finally {
    remove()
  }
}

/** @param {string} name @param {string[]} args @returns {number} milliseconds */
function timeOf(name, args) {
  const started = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`\`${name}\` failed: ${stderr}`)
  return performance.now() - started
}

/** @param {Awaited<ReturnType<typeof measureCli>>} cli @param {string} name @returns {number} how many times `node -e 0` */
export const timesOfNode = ({ ms }, name) => ms[name] / ms['node -e 0']

/** @param {Awaited<ReturnType<typeof measureCli>>} cli */
export function cliLines(cli) {
  const line = ([name, ms]) => `  ${name} ${ms.toFixed(0)} ms, ${timesOfNode(cli, name).toFixed(2)} times \`node -e 0\``
  return [`Commands from start to end (median of ${cli.times} fresh processes)`, ...Object.entries(cli.ms).map(line)]
}
