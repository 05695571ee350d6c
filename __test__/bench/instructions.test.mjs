// What a call costs the core, in instructions: bounded, so that a slip of a factor is seen when it is made.
import { measureInstructions } from '../../bench/instructions.mjs'

/** Counting hashes by themselves takes as long again: one call shows that they are found. */
const HASHED = 'small-id'

test('no call takes more instructions than its budget', async () => {
  const { missing, counts } = await measureInstructions('dev', [HASHED])
  if (missing !== undefined) {
    if (process.env.CI) throw new Error(`CI skips no test, and ${missing}`)
    console.log(`skipped: the budget of instructions, because ${missing}`)
    return
  }
  expect(counts.length).toBeGreaterThan(4)
  const over = counts.filter(({ instructions, budget }) => !(instructions > 0 && instructions <= budget))
  expect(over).toEqual([])

  const { instructions, hashing } = counts.find(({ name }) => name === HASHED)
  expect(hashing).toBeGreaterThan(1000)
  expect(hashing).toBeLessThan(instructions / 2)
}, 1_200_000)
