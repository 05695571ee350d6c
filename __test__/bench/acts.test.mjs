// `npm run bench -- acts`: what it prints, and that it holds.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { isPresent } from '../support/patterns.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const bench = (...words) =>
  promisify(execFile)(process.execPath, ['--expose-gc', 'bench/run.mjs', ...words], { cwd: root, timeout: 300_000 })

test('nothing runs that was neither shown nor granted; users are asked less; near misses are repaired', async () => {
  const { stdout } = await bench('acts', '--quick', '--json')
  const { histories, tasks, repair } = JSON.parse(stdout).acts
  expect([histories.histories, histories.unshown]).toEqual([100, 0])
  if (!isPresent) return
  expect([tasks.tasks, tasks.outside, tasks.asked.none]).toEqual([120, 0, tasks.writes])
  expect(tasks.asked.all).toBeLessThanOrEqual(0.2 * tasks.asked.none)
  expect(tasks.asked.all).toBe(tasks.tools)
  for (const way of ['mild', 'apart']) expect(tasks.asked[way]).toBeLessThan(tasks.asked.none)
  expect(repair.wrong).toBe(0)
  expect(repair.calls).toBeGreaterThan(500)
  for (const { mutants, repaired } of [repair, ...Object.values(repair.rules)])
    expect(repaired).toBeGreaterThanOrEqual(0.95 * mutants)
}, 300_000)
