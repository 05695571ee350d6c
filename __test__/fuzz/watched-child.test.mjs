// The faults that a watched child reports, and that it goes on after each.
import { WatchedChild } from '../../fuzz/watched-child.mjs'

const CASES = '../../__test__/fuzz/faulty-case'
const MAX_MS = 300

let child
beforeEach(() => {
  child = new WatchedChild(CASES, MAX_MS)
})
afterEach(() => child.close())

test.each([
  ['throws', 'TypeError: an untyped error'],
  ['exits', 'the process ended (3)'],
  ['hangs', 'no answer'],
  ['slow', 'took '],
  ['fills', 'SIGABRT'],
  ['panics', 'the core panicked'],
])('a case that %s is a fault, and the next case runs', async (fault, text) => {
  expect(await child.run({ fault })).toMatchObject({ fault: expect.stringContaining(text) })
  expect(await child.run({ fault: 'none' })).toEqual({ fault: null, outcome: 'fine' })
})
