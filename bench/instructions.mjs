// How many instructions one call takes in the core, without Node: a figure that the machine's load does not change. What is
// counted is `core/hot_paths.rs`. The benchmark reads it in cargo's profile `fast`. The test takes the profile `dev`, which the other
// tests have built; `core/budgets.json` bounds that, with room for another compiler and other processors.
//
// The same calls are made once and twice as often: what the second run has more, divided by the calls, is what one costs;
// start-up and reading the files are in both. Processors that valgrind knows have no instructions for SHA-256, so a hash
// counts some thousands here that take a tenth of a microsecond in truth: they are counted by themselves as well.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { callMaker, SIZE_TITLES } from './cases.mjs'
import { compileToolSet } from './tool-set.mjs'
import { handlers, sizes, tools } from './workload.mjs'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))
const LIMIT_MS = 5 * 60_000

/** Collects within this function only. */
const HASHES_ONLY = '--toggle-collect=sha2::sha256::compress256'

/** @type {{ name: string, title: string, count: number, call: object, size: string }[]} */
const CASES = [
  caseOf('small-id', 'text, provider id', 1000, { size: 'small', key: 'id' }),
  caseOf('small-hash', 'text, content hash', 1000, { size: 'small', key: 'hash' }),
  caseOf('small-refused', 'refused by VALIDATION', 1000, { size: 'small', key: 'id', args: sizes.small.bad }),
  caseOf('medium-id', 'text, provider id', 200, { size: 'medium', key: 'id' }),
  caseOf('large-id', 'text, provider id', 8, { size: 'large', key: 'id' }),
  caseOf('large-hash', 'text, content hash', 8, { size: 'large', key: 'hash' }),
]

function caseOf(name, what, count, call) {
  return { name, title: `${SIZE_TITLES[call.size]}, ${what}`, count, call, size: call.size }
}

const budgets = () => JSON.parse(readFileSync(new URL('core/budgets.json', import.meta.url), 'utf8'))

/**
 * What one call costs.
 *
 * @typedef {object} InstructionCount
 * @property {string} name
 * @property {string} title
 * @property {number} instructions
 * @property {number} [hashing] how many of them are SHA-256's, where that was counted
 * @property {number} budget of the profile `dev`
 */

/**
 * @param {'dev' | 'fast'} [profile] of cargo
 * @param {string[]} [hashed] the cases whose hashes are counted by themselves: all of them
 * @returns {Promise<{ missing: string } | { counts: InstructionCount[] }>} `missing` says what this machine lacks
 */
export async function measureInstructions(profile = 'dev', hashed = CASES.map(({ name }) => name)) {
  const missing = await lacking()
  if (missing !== null) return { missing }
  const program = await build(profile)
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-instructions-'))
  const toolSet = await compileToolSet(tools)
  try {
    const allowed = budgets()
    const counts = []
    for (const each of CASES) {
      const files = await writeFiles(folder, each)
      const perCall = flags => instructionsPerCall(program, [toolSet.path, ...files], each.count, flags)
      const instructions = await perCall([])
      const hashing = hashed.includes(each.name) ? await perCall([HASHES_ONLY]) : undefined
      counts.push({ name: each.name, title: each.title, instructions, hashing, budget: allowed[each.name] })
    }
    return { counts }
  } finally {
    toolSet.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function lacking() {
  if (await cannotRun('valgrind')) return 'there is no valgrind here'
  return (await cannotRun('cargo')) ? 'there is no cargo here to build what is counted' : null
}

const cannotRun = program =>
  run(program, ['--version']).then(
    () => false,
    () => true,
  )

/** With these, cargo chooses the features of `npm run build:native`, and compiles no crate again. */
const AS_THE_ADDON = ['--workspace', '--lib', '--examples']

/** @param {string} profile @returns {Promise<string>} the program's path */
async function build(profile) {
  const others = profile === 'dev' ? AS_THE_ADDON : []
  const args = ['build', '--profile', profile, ...others, '--bin', 'hot_paths', '--message-format', 'json']
  const { stdout } = await run('cargo', args, { cwd: root, maxBuffer: 2 ** 28 })
  const built = stdout
    .split('\n')
    .filter(line => line.includes('"executable":"'))
    .map(line => JSON.parse(line))
  return built.find(({ target }) => target.name === 'hot_paths').executable
}

async function writeFiles(folder, { name, size, count, call }) {
  const make = callMaker(call)
  const [calls, result] = [join(folder, `${name}.jsonl`), join(folder, `${name}.json`)]
  writeFileSync(calls, Array.from({ length: 2 * count }, (_, n) => `${JSON.stringify(make(n))}\n`).join(''))
  writeFileSync(result, JSON.stringify(await handlers[sizes[size].tool]({ args: sizes[size].args(0) })))
  return [calls, result]
}

async function instructionsPerCall(program, files, count, flags) {
  const [once, twice] = await Promise.all([count, 2 * count].map(calls => countOf(program, files, calls, flags)))
  return Math.round((twice - once) / count)
}

async function countOf(program, files, count, flags) {
  const valgrind = ['--tool=callgrind', '--callgrind-out-file=/dev/null', ...flags, program, ...files, String(count)]
  const { stderr } = await run('valgrind', valgrind, { timeout: LIMIT_MS })
  const collected = /Collected : (\d+)/.exec(stderr)
  if (collected === null) throw new Error(`valgrind counted nothing:\n${stderr}`)
  return Number(collected[1])
}
