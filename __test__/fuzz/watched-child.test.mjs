// The faults that a watched child reports, and that it goes on after each.
import { WatchedChild } from '../../fuzz/watched-child.mjs'

const CASES = '../../__test__/fuzz/faulty-case'
const MAX_MS = 1000
/** Filling the heap takes a busy machine its time. */
const FILLING_MS = 60_000

let child
afterEach(() => child.close())

test.each([
  ['throws', 'TypeError: an untyped error', MAX_MS],
  ['exits', 'the process ended (3)', MAX_MS],
  ['hangs', 'no answer', MAX_MS],
  ['slow', 'took ', MAX_MS],
  ['fills', 'SIGABRT', FILLING_MS],
  ['panics', 'the core panicked', MAX_MS],
])('a case that %s is a fault, and the next case runs', async (fault, text, maxMs) => {
  child = new WatchedChild(CASES, maxMs)
  expect(await child.run({ fault })).toMatchObject({ fault: expect.stringContaining(text) })
  expect(await child.run({ fault: 'none' })).toEqual({ fault: null, outcome: 'fine' })
})
