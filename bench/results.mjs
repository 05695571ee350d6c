// The results that are kept: the page and its plots are drawn from them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../docs/performance/results.json', import.meta.url)

/** What must be equal for figures to stand beside each other. */
const identity = ({ cpu, cores, node, toolgate, ajv, addon }) =>
  JSON.stringify([cpu, cores, node, toolgate, ajv, addon.id])

/** @returns {object | null} null if nothing is kept yet */
export function readResults() {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

/** Keeps the results of a run. @returns what is kept now */
export function saveResults(run) {
  const kept = mergeResults(readResults(), run)
  writeFileSync(file, `${JSON.stringify(kept, rounded, 1)}\n`)
  return kept
}

/**
 * The parts of a new run in the place of their older selves. Nothing is kept of what another machine or build measured.
 * @param {object | null} kept
 * @param {object} run
 */
export function mergeResults(kept, run) {
  if (kept === null || identity(kept.machine) !== identity(run.machine)) return run
  const measured = Object.entries(run).filter(([part, value]) => part !== 'cases' && value !== null)
  const newRows = new Map(run.cases.map(row => [row.name, row]))
  const cases = kept.cases.map(row => {
    const newer = newRows.get(row.name)
    newRows.delete(row.name)
    return newer ?? row
  })
  return { ...kept, ...Object.fromEntries(measured), cases: [...cases, ...newRows.values()] }
}

/** Five digits say more than a measurement knows. */
function rounded(_name, value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value
}
