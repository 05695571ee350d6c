// A wall clock that a test moves while a process runs, by libfaketime.
import { spawnSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'

const LIBRARY = spawnSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' })

/** Whether libfaketime is installed; in CI it must be. */
export const hasFakeClock = LIBRARY.status === 0
if (!hasFakeClock && process.env.CI && process.platform === 'linux')
  throw new Error('no faketime was found, and CI skips no test; install one')
if (!hasFakeClock) console.log('skipped: jumps of the clock, because no faketime was found')

export class FakeClock {
  #file

  /** @param {string} file which holds the clock's offset */
  constructor(file) {
    this.#file = file
    this.jump(0)
  }

  /** The environment of the processes that have this clock. Their timers stay those of the machine. */
  get env() {
    return {
      LD_PRELOAD: LIBRARY.stdout.trim(),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  /** @param {number} seconds between the machine's clock and this one */
  jump(seconds) {
    // Renamed in place: a process never reads a half-written offset.
    writeFileSync(`${this.#file}.next`, `${seconds < 0 ? '' : '+'}${seconds}\n`)
    renameSync(`${this.#file}.next`, this.#file)
  }
}
