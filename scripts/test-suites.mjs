// The suites of jest: those that take seconds, and those that take longer by nature. The latter are in folders of their own, or
// have `.long.` in their names: they install packages, build apps, break servers, start dozens of programs, or wait for a timeout.
//
// The voice server, the simulator and the web app are tested by `node --test`: others copy these programs, and should need no
// other runner. Their tests end what they start with `t.after`. The package stays with Jest for its tables of cases and
// matchers, and because its suites share processes.
import { existsSync } from 'node:fs'
import path from 'node:path'

import { root } from './run-step.mjs'

/** Folders of `__test__` that `npm run test:all` runs. */
const LONG_FOLDERS = ['bench', 'chaos', 'fuzz', 'majors', 'packed']
const LONG_NAMES = '\\.long\\.test\\.'
/** A suite that plays more than in `npm test`. */
const LONGER = '/acts/confirmation-histories'
/** Compiles packages of other frameworks for minutes: `npm run test:experiments`. */
const EXPERIMENTS = '/packed/experiments'

const ofFolders = names => `/__test__/(${names.join('|')})/`

export const QUICK = ['--maxWorkers=100%', ...['--testPathIgnorePatterns', ofFolders(LONG_FOLDERS), LONG_NAMES]]
export const LONG = [
  '--maxWorkers=100%',
  ...['--testSequencer', './scripts/longest-first.cjs'],
  ...['--testPathPatterns', [ofFolders(LONG_FOLDERS), LONG_NAMES, LONGER].join('|')],
  ...['--testPathIgnorePatterns', EXPERIMENTS],
]

/** @param {string[]} options */
export const jest = options => [
  ...[process.execPath, '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
  ...options,
]

/** Where tests find the material that the project does not contain. @throws Error in CI, if it is not there */
export function environment() {
  const corpus = process.env.TOOLGATE_CORPUS ?? path.join(root, '..', 'shared', 'corpus')
  if (process.env.CI && !existsSync(corpus))
    throw new Error(`CI skips no test: there is no corpus at ${corpus} (TOOLGATE_CORPUS)`)
  return { TOOLGATE_CORPUS: corpus }
}
