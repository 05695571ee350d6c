// `npm test`: installs, builds, and runs every test. What a machine lacks beyond Node, Rust and a C compiler is installed
// where that can be done, or its tests are skipped with a printed reason; in CI nothing is skipped that can be installed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

import { postgresPrograms } from './postgres-programs.mjs'
import { install, needCargo, preparePackage, prepareWeb } from './prepare.mjs'
import { root, runNpm, runStep } from './run-step.mjs'

const CHROMIUM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const corpus = process.env.TOOLGATE_CORPUS ?? path.join(root, '..', 'shared', 'corpus')

async function main() {
  await needCargo()
  if (process.env.CI && !existsSync(corpus))
    throw new Error(`CI skips no test: there is no corpus at ${corpus} (TOOLGATE_CORPUS)`)
  await need('redis-server', 'sessions on a Redis server')
  await needPostgres()
  await need('pgbouncer', 'sessions on Postgres through a pooler')
  if (process.platform === 'linux') await need('faketime', 'jumps of the clock')
  await need('valgrind', 'the budget of instructions')
  // The core first: it needs nothing that npm installs.
  const env = { TOOLGATE_CORPUS: corpus }
  await runStep('cargo test, the core', ['cargo', 'test', '--no-default-features'], { env })
  await preparePackage()
  await runStep('cargo test, the addon', ['cargo', 'test', '--lib', 'bindings'], { env })
  await prepareWeb()
  await wantNextMajors()
  await runNpm(['run', 'test:js'], { env })
  await runNpm(['run', 'test:peers'], { env })
  await runNpm(['test', '-w', 'toolgate-simulator'], { env })
  await runNpm(['test', '-w', 'toolgate-voice-server'], { env })
  const chromium = await findChromium()
  await runNpm(['run', 'typecheck'], { cwd: path.join(root, 'web') })
  await runNpm(['test'], {
    cwd: path.join(root, 'web'),
    env: { ...env, ...(chromium ? { TOOLGATE_CHROMIUM: chromium } : {}) },
  })
  await runNpm(['run', 'smoke', '--', '--start'])
}

/** A program that tests of `what` run: found, or installed where the system's package manager may be used. */
async function need(program, what) {
  if (spawnSync(program, ['--version']).status === 0) return
  if (canInstall()) return installPackage(program)
  if (process.env.CI) throw new Error(`no ${program} was found, and CI skips no test; install one`)
  console.log(`skipped: ${what}, because no ${program} was found`)
}

/** A Postgres server. Its package has another name than its programs, which are not in the path. */
async function needPostgres() {
  if (postgresPrograms()) return
  if (canInstall()) return installPackage('postgresql')
  if (process.env.CI) throw new Error('no postgres was found, and CI skips no test; install postgresql')
  console.log('skipped: sessions on a Postgres server, because no postgres was found')
}

async function installPackage(name) {
  await runStep('apt-get update', ['apt-get', 'update', '-qq'])
  await runStep(`apt-get install ${name}`, ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', name])
}

/** The next majors of the providers' packages, in a folder of their own, with a Node that runs them where npm has one. */
async function wantNextMajors() {
  try {
    await install(path.join(root, '__test__', 'next-majors'), '--ignore-scripts')
  } catch (error) {
    if (process.env.CI)
      throw new Error(
        `CI skips no test, and the next majors of the providers' packages could not be installed: ${error.message}`,
        { cause: error },
      )
    console.log(
      `skipped: the next majors of the providers' packages, because they could not be installed (${error.message})`,
    )
  }
}

const canInstall = () => process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** A browser for the page's tests: found, or installed where the system's package manager may be used. */
async function findChromium() {
  const known = [process.env.TOOLGATE_CHROMIUM, ...CHROMIUM].find(place => place && existsSync(place))
  if (known !== undefined) return known
  if (canInstall()) {
    await installPackage('chromium')
    return CHROMIUM.find(existsSync)
  }
  if (process.env.CI)
    throw new Error('no Chromium was found, and CI skips no test; install one or name it in TOOLGATE_CHROMIUM')
  console.log('skipped: the page in a browser, because no Chromium was found (name one in TOOLGATE_CHROMIUM)')
  return undefined
}

main().then(
  () => console.log('\nall tests passed'),
  error => {
    console.error(`\n${error.message}`)
    process.exitCode = 1
  },
)
