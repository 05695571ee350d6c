// The writes of public benchmarks: users are asked less with grants, and arguments that are nearly right are repaired.
import { CORPUS, isPresent } from '../support/patterns.mjs'
import { measureRepair } from './support/repair.mjs'
import { measureTasks } from './support/tasks.mjs'

const withCorpus = isPresent ? test : test.skip

withCorpus('users are asked less with grants, and nothing runs that was neither shown nor granted', async () => {
  const { asked, ...found } = await measureTasks(CORPUS)
  expect([found.tasks, found.outside, asked.none]).toEqual([120, 0, found.writes])
  expect(asked.all).toBeLessThanOrEqual(0.2 * asked.none)
  expect(asked.all).toBe(found.tools)
  for (const way of ['mild', 'apart']) expect(asked[way]).toBeLessThan(asked.none)
})

withCorpus('near misses are repaired to the original, and to nothing else', async () => {
  const repair = await measureRepair(CORPUS)
  expect(repair.wrong).toBe(0)
  expect(repair.calls).toBeGreaterThan(500)
  for (const { mutants, repaired } of [repair, ...Object.values(repair.rules)])
    expect(repaired).toBeGreaterThanOrEqual(0.95 * mutants)
})
