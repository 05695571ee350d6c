// A part of the fuzzing, with a fixed seed; and that its parts find what they should.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'

import { explore } from '../../fuzz/explore.mjs'
import { seeded } from '../../fuzz/random.cjs'

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
  'hostile',
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
    const random = seeded(seed)
    return random.times(50, 50, () => random.below(1000))
  }
  expect(choices(3)).toEqual(choices(3))
  expect(choices(3)).not.toEqual(choices(4))
  expect(new Set(choices(3)).size).toBeGreaterThan(40)
})

/** A target that disagrees about lists with a large number. */
const target = {
  name: 'validation',
  step: async random => {
    const value = random.times(0, 20, () => random.below(1000))
    const found = value.find(number => number > 100)
    return found === undefined ? [] : [{ case: { value }, detail: { toolgate: true, ajv: false } }]
  },
}

test('a disagreement is made smaller, and its step runs again by its seed', async () => {
  const { unexplained } = await explore(target, { seed: 5, steps: 3, duration: Infinity })
  expect(unexplained[0]).toEqual({
    case: { value: [101] },
    detail: { toolgate: true, ajv: false },
    again: expect.stringMatching(/^npm run fuzz -- --target validation --seed [567] --steps 1$/),
  })
  const seed = Number(/--seed (\d+)/.exec(unexplained[0].again)[1])
  const again = await explore(target, { seed, steps: 1, duration: Infinity })
  expect(again.unexplained).toEqual([unexplained[0]])
})

test('while a disagreement gets smaller, it does not become another one', async () => {
  const step = async random => {
    const value = random.times(10, 20, () => random.below(1000))
    return [{ case: { value }, detail: { isLong: value.length > 12 } }]
  }
  const { unexplained } = await explore({ name: 'gate', step }, { seed: 1, steps: 40, duration: Infinity })
  const lengths = unexplained.map(({ case: { value }, detail }) => [detail.isLong, value.length])
  expect(new Set(lengths.map(String))).toEqual(new Set(['true,13', 'false,10']))
})

test('each kind of disagreement of a step is found, and an error of a step ends the run', async () => {
  const step = async () => [
    { case: 1, detail: 'one' },
    { case: 2, detail: 'two' },
  ]
  const report = await explore({ name: 'gate', step }, { seed: 1, steps: 1, duration: Infinity })
  expect(report.unexplained.map(({ detail }) => detail)).toEqual(['one', 'two'])
  const failing = { name: 'gate', step: () => Promise.reject(new Error('broken')) }
  await expect(explore(failing, { seed: 1, steps: 1, duration: Infinity })).rejects.toThrow('broken')
})
