// A sample of the differential of libraries and gate; differential.long.test.mjs has all of it.
import { compare } from '../support/differential/compare.mjs'
import { schemaCases } from '../support/differential/libraries.mjs'
import { unexplained } from '../support/differential/reasons.mjs'

test('the gate takes what a library takes, and refuses what it refuses', async () => {
  const sample = schemaCases().filter((_, index) => index % 9 === 0)
  const { compared, differences } = await compare(sample, { count: 15, seed: 7 })
  expect(compared).toBeGreaterThan(700)
  expect(unexplained(differences)).toEqual([])
})
