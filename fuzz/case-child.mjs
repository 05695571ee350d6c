// Runs the cases that the lines of standard input hold, by the module fuzz/cases/<first argument>.mjs, and writes a line about
// each: its outcome, its fault, its milliseconds and the resident set.
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'

const { runCase } = await import(new URL(`./cases/${process.argv[2]}.mjs`, import.meta.url).href)
const write = (/** @type {object} */ line) => console.log(JSON.stringify(line))

write({ ready: true })
for await (const line of createInterface({ input: process.stdin })) {
  const input = JSON.parse(line)
  const start = performance.now()
  const result = await resultOf(input)
  const residentMb = Math.round(process.memoryUsage.rss() / 2 ** 20)
  write({ ...result, ms: Math.round(performance.now() - start), residentMb })
}

/** @param {any} input @returns {Promise<{ outcome: string, fault?: string }>} */
async function resultOf(input) {
  try {
    return { outcome: await runCase(input) }
  } catch (error) {
    return { outcome: 'failed', fault: inspect(error, { customInspect: false, depth: 0 }) }
  }
}
