// `npm run test:all`: the tests that `npm test` leaves out: packed packages in apps of their own, the SDKs at the ends of
// their ranges, servers that are killed, fuzzing, the web app in a browser, and the demo. On Debian, root installs what is missing.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { installFrameworks } from '../__test__/packed/install-frameworks.mjs'
import { install, needCargo, preparePackage, prepareWeb } from './prepare.mjs'
import { root, runNpm, runStep, runSteps, runTogether } from './run-step.mjs'
import { browser, installPrograms, reportMissing } from './system-programs.mjs'
import { LONG, environment, jest } from './test-suites.mjs'

/** Of histories of confirmations: `npm test` has fewer. */
const HISTORIES = '600'
const web = path.join(root, 'web')
/** Of the voice server under faults: `npm test` runs the first 100. */
const SCENARIOS = '250'

async function main() {
  await needCargo()
  await installPrograms()
  reportMissing()
  const env = environment()
  await preparePackage()
  await runTogether([() => testCore(env).then(installFrameworks), prepareApps])
  await testLong(env)
  await runTogether([() => testWeb(env), () => testVoiceAndPeers(env)])
  await runNpm(['run', 'smoke', '--', '--start'])
}

/** @param {Record<string, string>} env */
async function testCore(env) {
  await runStep('cargo test, the long tests', ['cargo', 'test', '--tests', '--', '--ignored'], { env })
  await runStep('cargo test, the schedules', ['cargo', 'test', '--test', 'schedules'], { env })
}

/** The suites of packed packages install tarballs that are packed once. @param {Record<string, string>} env */
async function testLong(env) {
  const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-packed-'))
  try {
    await runNpm(['pack', '--workspaces', '--include-workspace-root', '--loglevel=warn', '--pack-destination', folder])
    const added = { TOOLGATE_HISTORIES: HISTORIES, TOOLGATE_PACKED: folder }
    await runStep('jest, the long suites', jest(LONG), { env: { ...env, ...added } })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function prepareApps() {
  await prepareWeb()
  await wantNewerPackages()
}

/** One browser at a time: what takes the processor from a page is not what its tests are about. @param {Record<string, string>} env */
async function testWeb(env) {
  await runNpm(['run', 'typecheck'], { cwd: web })
  await runNpm(['test'], { cwd: web, env: { ...env, ...(browser() && { TOOLGATE_CHROMIUM: browser() }) } })
}

/** One process after the other, beside the web app, whose tests take longer. @param {Record<string, string>} env */
async function testVoiceAndPeers(env) {
  const cwd = path.join(root, 'voice-server')
  const play = (title, file) =>
    runStep(title, [process.execPath, '--test', file], { cwd, env: { TOOLGATE_SCENARIOS: SCENARIOS } })
  await play('scenarios of the voice server', 'test/scenarios.test.js')
  await play('load of the voice server', 'test/long/load.test.js')
  await runNpm(['run', 'test:peers'], { env })
}

/** Packages that need a newer Node than the project, in a folder of their own, with that Node where npm has one. */
async function wantNewerPackages() {
  try {
    await install(path.join(root, '__test__', 'newer-node'), '--ignore-scripts')
  } catch (cause) {
    const what = `the packages that need a newer Node could not be installed (${cause.message})`
    if (process.env.CI) throw new Error(`CI skips no test, and ${what}`, { cause })
    console.log(`skipped: ${what}`)
  }
}

await runSteps(main, 'all long tests passed')
