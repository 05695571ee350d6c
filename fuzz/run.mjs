// `npm run fuzz -- [--seconds 60] [--steps 100] [--seed 1] [--target name]`: random schemas, values and definitions against other
// implementations and against the gate's own promises. Prints what was tried, what is explained, and each disagreement,
// minimised. Exits with 1 if one is not explained. The targets share the seconds; with `--steps` each takes that many steps
// instead, so that the same seed gives the same output.
import { parseArgs } from 'node:util'

import { EXPLANATIONS } from './explanations.mjs'
import { explore } from './explore.mjs'
import { TARGETS } from './targets/index.mjs'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    steps: { type: 'string' },
    seed: { type: 'string', default: '1' },
    target: { type: 'string', multiple: true },
  },
})

const chosen = TARGETS.filter(({ name }) => flags.target?.includes(name) ?? true)
if (chosen.length === 0) throw new Error(`no such target; targets are ${TARGETS.map(({ name }) => name).join(', ')}`)
const duration = (Number(flags.seconds) * 1000) / chosen.length
const limit =
  flags.steps === undefined ? { duration, steps: Infinity } : { duration: Infinity, steps: Number(flags.steps) }
const reports = []
for (const target of chosen) reports.push(await explore(target, { seed: Number(flags.seed), ...limit }))
for (const report of reports) print(report)
printExplanations(reports)
process.exitCode = reports.some(({ unexplainedCount }) => unexplainedCount > 0) ? 1 : 0

/** @param {import('./report.mjs').Report} report */
function print({ target, counts, explained, unexplained, unexplainedCount }) {
  const list = (/** @type {Record<string, number>} */ numbers) =>
    Object.entries(numbers)
      .map(([what, number]) => `${what} ${number}`)
      .join(', ')
  console.log(`${target}: ${list(counts)}`)
  if (Object.keys(explained).length > 0) console.log(`  explained: ${list(explained)}`)
  console.log(`  not explained: ${unexplainedCount}`)
  for (const found of unexplained) console.log(`    ${JSON.stringify(found)}`)
}

/** @param {import('./report.mjs').Report[]} all */
function printExplanations(all) {
  const used = EXPLANATIONS.filter(({ name }) => all.some(({ explained }) => explained[name] > 0))
  for (const { name, reason } of used) console.log(`${name}: ${reason}`)
}
