// A part of the fuzzing, with a fixed seed; and that its parts find what they should.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'

import { minimise } from '../../fuzz/minimise.mjs'
import { Random } from '../../fuzz/random.mjs'
import { Report } from '../../fuzz/report.mjs'

const run = promisify(execFile)
const PROGRAM = fileURLToPath(new URL('../../fuzz/run.mjs', import.meta.url))
const TARGETS = [
  'validation',
  'real-schemas',
  'completion',
  'gate',
  'lowering',
  'bounds',
  'artifact',
  'messages',
  'redis',
  'store-file',
]
/** Steps of targets whose steps are longer than a few milliseconds. */
const STEPS = { gate: 6, lowering: 6, redis: 60, 'store-file': 60 }

const fuzz = (...flags) => run(process.execPath, [PROGRAM, ...flags], { maxBuffer: 64 * 2 ** 20 })

test.each(TARGETS)('%s: no disagreement without an explanation', async target => {
  const steps = STEPS[target] ?? 150
  const { stdout } = await fuzz('--target', target, '--steps', String(steps), '--seed', '7')
  expect(stdout).toMatch(new RegExp(`^${target}: .*steps ${steps}`))
  expect(stdout).toContain('not explained: 0\n')
})

test('an unknown target is an error', async () => {
  await expect(fuzz('--target', 'none')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('bounds') })
})

test('a seed repeats its choices', () => {
  const choices = seed => {
    const random = new Random(seed)
    return random.times(50, 50, () => random.below(1000))
  }
  expect(choices(3)).toEqual(choices(3))
  expect(choices(3)).not.toEqual(choices(4))
  expect(new Set(choices(3)).size).toBeGreaterThan(40)
})

test('a disagreement is made smaller, and is in the report without an explanation', async () => {
  const report = new Report('validation')
  const found = { schema: { type: 'object', properties: { a: { minimum: 1 } } }, value: { a: 0, b: [1, 2] } }
  await report.disagreement(found, ({ value }) => value?.b?.includes(2) === true, { toolgate: true, ajv: false })
  expect(report.unexplained).toEqual([{ case: { value: { b: [2] } }, detail: { toolgate: true, ajv: false } }])
  expect(report.unexplainedCount).toBe(1)
})

test('a reference keeps its text while the rest gets smaller', async () => {
  const smallest = await minimise({ $ref: '#/$defs/long', other: 'text' }, ({ $ref }) => $ref !== undefined)
  expect(smallest).toEqual({ $ref: '#/$defs/long' })
})
