// What tests need of the system: found; installed, where that may be done; or left out, but not in CI. Run by itself it
// installs all of it, as CI does before its first test.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { pgbouncerProgram, postgresPrograms } from './postgres-programs.mjs'
import { runStep } from './run-step.mjs'

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser of the page's tests, or undefined. */
export const browser = () => [process.env.TOOLGATE_CHROMIUM, ...BROWSERS].find(place => place && existsSync(place))

const runs = program => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

/** Whether Python is there, with what makes an environment of packages. */
export const canMakeVenv = () =>
  spawnSync('python3', ['-c', 'import ensurepip, venv'], { stdio: 'ignore' }).status === 0

/** Package of Debian → what it is for, and whether it is there. @type {Record<string, { what: string, isThere: () => boolean }>} */
const PROGRAMS = {
  'redis-server': { what: 'sessions on a Redis server', isThere: () => runs('redis-server') },
  postgresql: { what: 'sessions on a Postgres server', isThere: () => postgresPrograms() !== undefined },
  pgbouncer: { what: 'sessions on Postgres through a pooler', isThere: () => pgbouncerProgram() !== undefined },
  valgrind: { what: 'the budget of instructions', isThere: () => runs('valgrind') },
  ...(process.platform === 'linux' && {
    faketime: { what: 'jumps of the clock', isThere: () => runs('faketime') },
  }),
  prometheus: { what: 'the alert rules', isThere: () => runs('promtool') },
  'python3-venv': { what: 'MCP clients in Python', isThere: canMakeVenv },
  chromium: { what: 'the page in a browser', isThere: () => browser() !== undefined },
}

const canInstall = () => process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** Installs what is missing, where the system's package manager may be used. */
export async function installPrograms() {
  const missing = Object.keys(PROGRAMS).filter(name => !PROGRAMS[name].isThere())
  if (missing.length === 0 || !canInstall()) return
  await runStep('apt-get update', ['apt-get', 'update', '-qq'])
  await runStep(`apt-get install ${missing.join(' ')}`, [
    ...['apt-get', 'install', '-y', '-qq', '--no-install-recommends'],
    ...missing,
  ])
}

/** What `npm test` uses; `npm run test:all` uses all. */
export const QUICK_PROGRAMS = ['redis-server', 'postgresql']

/**
 * Says what is left out because a program is missing.
 * @param {string[]} [used] the programs that the tests use
 * @throws Error in CI, which skips no test
 */
export function reportMissing(used = Object.keys(PROGRAMS)) {
  for (const name of used) {
    const { what, isThere } = PROGRAMS[name]
    if (isThere()) continue
    if (process.env.CI) throw new Error(`no ${name} was found, and CI skips no test; \`node ${SELF}\` installs it`)
    console.log(`skipped: ${what}, because no ${name} was found`)
  }
}

const SELF = path.join('scripts', 'system-programs.mjs')

if (process.argv[1] === fileURLToPath(import.meta.url)) await installPrograms()
