// `npm test`: installs the packages, builds, and runs every test that takes seconds. `npm run test:all` has the others. What the
// machine lacks is named, and its tests are skipped; in CI nothing is.
import { needCargo, preparePackage } from './prepare.mjs'
import { runNpm, runStep, runSteps, runTogether } from './run-step.mjs'
import { QUICK_PROGRAMS, reportMissing } from './system-programs.mjs'
import { QUICK, environment, jest } from './test-suites.mjs'

/** Enough to find a mistake of the last change; `npm run test:all` explores eight times as many. */
const SCHEDULES = '5000'

async function main() {
  await needCargo()
  reportMissing(QUICK_PROGRAMS)
  const env = environment()
  const core = ['cargo', 'test', '--no-default-features']
  await runStep('cargo test, the build', [...core, '--no-run'])
  await preparePackage()
  await runStep('jest', jest(QUICK), { env })
  await runTogether([
    () => runStep('cargo test', core, { env: { TOOLGATE_SCHEDULES: SCHEDULES, ...env } }),
    () => testAgents(env),
  ])
}

/** They mostly wait: for speech, and for silence. @param {Record<string, string>} env */
async function testAgents(env) {
  await runNpm(['test', '-w', 'toolgate-simulator'], { env })
  await runNpm(['test', '-w', 'toolgate-voice-server'], { env })
}

await runSteps(main, 'all tests passed; `npm run test:all` runs the long ones')
