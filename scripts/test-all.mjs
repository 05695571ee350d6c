// `npm run test:all`: the tests that `npm test` leaves out: packed packages in apps of their own, the SDKs at the ends of
// their ranges, servers that are killed, fuzzing, the web app in a browser, and the demo. On Debian, root installs what is missing.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { installFrameworks } from '../__test__/packed/install-frameworks.mjs'
import { install, needCargo, preparePackage, prepareWeb } from './prepare.mjs'
import { root, runNpm, runStep, runSteps, runTogether } from './run-step.mjs'
import { browser, installPrograms, reportMissing } from './system-programs.mjs'
import { LONG, environment, jest } from './test-suites.mjs'

/** Of histories of confirmations: `npm test` has fewer. */
const HISTORIES = '1000'
const web = path.join(root, 'web')
/** Of the web app's tests, so that neither of two lanes ends long before the other. */
const WEB_SHARDS = 4
/** Of the voice server under faults: `npm test` runs the first 100. */
const SCENARIOS = '400'

async function main() {
  await needCargo()
  await installPrograms()
  reportMissing()
  const env = environment()
  await preparePackage()
  await runTogether([() => testCore(env).then(installFrameworks), prepareApps])
  await testLong(env)
  await testApps(env)
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

/** The web app, the voice server and the SDKs, in two lanes. @param {Record<string, string>} env */
async function testApps(env) {
  const ofWeb = await webTests(env)
  const voice = path.join(root, 'voice-server')
  const play = (title, file) => () =>
    runStep(title, [process.execPath, '--test', file], { cwd: voice, env: { TOOLGATE_SCENARIOS: SCENARIOS } })
  const jobs = [
    play('scenarios of the voice server', 'test/scenarios.test.js'),
    () => runNpm(['run', 'typecheck'], { cwd: web }),
    () => runNpm(['run', 'test:peers'], { env }),
    ...ofWeb,
    play('load of the voice server', 'test/long/load.test.js'),
  ]
  const lane = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job()
  }
  await runTogether([lane, lane])
}

/** The web app's tests in a browser, one after the other in each shard. @param {Record<string, string>} env */
async function webTests(env) {
  const files = (await readdir(path.join(web, 'test'))).filter(name => name.endsWith('.test.mjs'))
  const given = { ...env, ...(browser() && { TOOLGATE_CHROMIUM: browser() }) }
  return Array.from({ length: WEB_SHARDS }, (_, at) => {
    const own = files.filter((_name, index) => index % WEB_SHARDS === at).map(name => `test/${name}`)
    return () => runNpm(['run', 'test:files', '--', ...own], { cwd: web, env: given })
  })
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
