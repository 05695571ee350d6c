// Cases that are at fault, for the tests of the watched child.
import { setTimeout as sleep } from 'node:timers/promises'

const FAULTS = {
  none: () => 'fine',
  throws: () => {
    throw new TypeError('an untyped error')
  },
  exits: () => process.exit(3),
  hangs: () => sleep(3_600_000),
  slow: async () => {
    await sleep(1200)
    return 'fine'
  },
  fills: () => {
    const kept = []
    for (;;) kept.push(Array.from({ length: 10_000 }, () => kept.length))
  },
  panics: () => {
    process.stderr.write("thread 'main' panicked at src/lib.rs:1:1\n")
    return sleep(50, 'fine')
  },
}

export const runCase = ({ fault }) => FAULTS[fault]()
