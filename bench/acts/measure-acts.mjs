// What holds about acts: no run of what was neither shown nor granted, how often users are asked, what is repaired.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { runHistories } from './histories.mjs'
import { measureRepair, repairLines } from './repair.mjs'
import { measureTasks, taskLines } from './tasks.mjs'

const HISTORIES = 1000
const QUICK_HISTORIES = 100

/** @param {{ isQuick: boolean, seed?: number }} options */
export async function measureActs({ isQuick, seed = Date.now() % 1_000_000 }) {
  const corpus = process.env.TOOLGATE_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))
  const hasCorpus = existsSync(corpus)
  return {
    seed,
    histories: await runHistories({ seed, histories: isQuick ? QUICK_HISTORIES : HISTORIES }),
    tasks: hasCorpus ? await measureTasks(corpus) : null,
    repair: hasCorpus ? await measureRepair(corpus) : null,
  }
}

/** @param {Awaited<ReturnType<typeof measureActs>>} acts */
export function actsLines({ seed, histories: { histories, unshown, ...counts }, tasks, repair }) {
  const words = Object.entries(counts).map(([what, count]) => `${what} ${count}`)
  return [
    `Random histories of confirmations: ${histories} over two registries on a file, seed ${seed}`,
    `  runs of what was neither shown nor granted: ${unshown}`,
    `  ${words.sort().join(', ')}`,
    ...taskLines(tasks),
    ...repairLines(repair),
  ]
}
