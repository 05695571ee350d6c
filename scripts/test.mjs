// `npm test`: installs the packages, builds, and runs every test that takes seconds. `npm run test:all` has the others. What the
// machine lacks is named, and its tests are skipped; in CI nothing is.
import { needCargo, preparePackage } from './prepare.mjs'
import { runNpm, runStep, runSteps, runTogether } from './run-step.mjs'
import { QUICK_PROGRAMS, reportMissing } from './system-programs.mjs'
import { QUICK, environment, jest } from './test-suites.mjs'

const HELP = `npm test               installs, builds, and runs every test that takes seconds: about ten minutes in a new clone
npm run test:all       the others: packed packages, browsers, servers that are killed; about forty minutes
npm run lint           formats, types, clippy, words
npm run test:js -- <path> [-t <name>]     some of the JavaScript tests, on what is built
cargo test --test <name>                  some of the Rust tests
npm test -w toolgate-voice-server         a package's own tests; also toolgate-react, toolgate-simulator

CI=1 skips nothing. TOOLGATE_CORPUS is the folder of real material that some tests read.`

/** Enough to find a mistake of the last change; `npm run test:all` explores eight times as many. */
const SCHEDULES = '5000'

async function main() {
  await needCargo()
  reportMissing(QUICK_PROGRAMS)
  const env = environment()
  await preparePackage()
  await runStep('cargo test, the build', ['cargo', 'test', '--no-run'])
  await runTogether([() => runStep('jest', jest(QUICK), { env }), () => testCoreAndAgents(env)])
}

/** Takes about as long as jest. The agents' tests mostly wait: for speech, and for silence. @param {Record<string, string>} env */
async function testCoreAndAgents(env) {
  await runStep('cargo test', ['cargo', 'test'], { env: { TOOLGATE_SCHEDULES: SCHEDULES, ...env } })
  await runNpm(['test', '-w', 'toolgate-react'], { env })
  await runNpm(['test', '-w', 'toolgate-simulator'], { env })
  await runNpm(['test', '-w', 'toolgate-voice-server'], { env })
}

if (process.argv.slice(2).some(arg => ['--help', '-h', 'help'].includes(arg))) console.log(HELP)
else await runSteps(main, 'all tests passed; `npm run test:all` runs the long ones')
