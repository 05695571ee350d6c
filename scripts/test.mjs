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
  const cargo = ['cargo', 'test', '--no-default-features']
  await runStep('cargo test, its build', [...cargo, '--no-run'])
  await preparePackage()
  // Each of them leaves a processor free for a part of its time. The tool set is built: a second build would write what jest reads.
  const ofVoice = ['test', '-w', 'toolgate-voice-server', '--ignore-scripts']
  await runTogether([
    () => runStep('jest', jest(QUICK), { env }),
    async () => {
      await runStep('cargo test', cargo, { env: { TOOLGATE_SCHEDULES: SCHEDULES, ...env } })
      await runNpm(['test', '-w', 'toolgate-simulator'], { env })
      await runNpm(ofVoice, { env })
    },
  ])
}

await runSteps(main, 'all tests passed; `npm run test:all` runs the long ones')
