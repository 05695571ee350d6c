// How long commands of the CLI take, beside a bare process and a native linter: a fresh process for each, in turns.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { median } from './statistics.mjs'

const run = promisify(execFile)
const ROUNDS = 15
const QUICK_ROUNDS = 2
const LIMIT_MS = 60_000

const root = fileURLToPath(new URL('../', import.meta.url))
const MAIN = path.join(root, 'js/cli/main.js')
const OXLINT = path.join(root, 'node_modules/oxlint/bin/oxlint')
/** What the others are compared with. */
const BARE = 'node -e 0'
const COMMANDS = {
  [BARE]: ['-e', '0'],
  'toolgate --version': [MAIN, '--version'],
  'toolgate --help': [MAIN, '--help'],
  'toolgate check, two tools': [MAIN, 'check'],
  'oxlint --version': [OXLINT, '--version'],
  'oxlint, the same folder': [OXLINT],
}

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ rounds: number, medians: Record<string, { ms: number, timesBare: number }> }>} by command;
 *   `timesBare`: the median of the rounds' ratios to a bare process
 */
export async function measureCli({ isQuick }) {
  const rounds = isQuick ? QUICK_ROUNDS : ROUNDS
  const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-bench-cli-'))
  try {
    for (const tool of ['find_order', 'list_orders']) await run(process.execPath, [MAIN, 'new', tool], { cwd: folder })
    const taken = Object.fromEntries(Object.keys(COMMANDS).map(name => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, args] of Object.entries(COMMANDS)) taken[name].push(await msOf(args, folder))
    }
    const row = ([name, all]) => [
      name,
      { ms: median(all), timesBare: median(all.map((ms, index) => ms / taken[BARE][index])) },
    ]
    return { rounds, medians: Object.fromEntries(Object.entries(taken).map(row)) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A command that fails rejects: what it took says nothing. */
async function msOf(args, cwd) {
  const start = performance.now()
  await run(process.execPath, args, { cwd, timeout: LIMIT_MS })
  return performance.now() - start
}

/** @param {Awaited<ReturnType<typeof measureCli>>} measured */
export const cliLines = ({ rounds, medians }) => [
  `Commands in fresh processes, medians of ${rounds}:`,
  ...Object.entries(medians).map(
    ([name, { ms, timesBare }]) => `  ${name.padEnd(26)} ${ms.toFixed(0).padStart(5)} ms  ${timesBare.toFixed(2)} x`,
  ),
]
