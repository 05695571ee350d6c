// `npm run test:ops`: what an operator relies on. `npm run test:all` runs the same tests, with fewer rounds against Postgres.
import { needCargo, preparePackage } from './prepare.mjs'
import { runStep, runSteps } from './run-step.mjs'

const cargoTest = (title, ...args) => runStep(title, ['cargo', 'test', ...args])

/** @param {string} title @param {string[]} files @param {Record<string, string>} [env] */
const jest = (title, files, env) =>
  runStep(title, ['node', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...files], { env })

async function main() {
  await needCargo()
  await preparePackage()
  await cargoTest('rotation and the chain of the audit', '--test', 'audit_file', '--test', 'audit_chain')
  await cargoTest('conformance of the stores', '--lib', 'store::shared')
  await jest('audit, backups and sessions by command', [
    '__test__/cli/(audit|store|sessions)',
    '__test__/gate/audit-file',
  ])
  await jest('a rolling upgrade over 1,000 calls', ['__test__/chaos/upgrade'])
  await jest('kill -9 of Postgres, 200 rounds', ['__test__/chaos/postgres'], { TOOLGATE_CHAOS: 'full' })
  await jest('probes, containers, dashboards and settings', [
    '__test__/http/health',
    '__test__/gate/owed-age',
    '__test__/deploy',
    '__test__/docs/deployment',
  ])
  await runStep('SIGTERM under voice sessions', [
    ...['node', '--test', 'voice-server/test/drain.test.js', 'voice-server/test/shutdown.test.js'],
  ])
}

await runSteps(main, 'all tests of operations passed')
