// When the alert rules fire, as Prometheus evaluates them.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const promtool = words => spawnSync('promtool', words, { encoding: 'utf8' })
const isThere = promtool(['--version']).status === 0
const fileOf = place => fileURLToPath(new URL(place, import.meta.url))

if (!isThere && process.env.CI) throw new Error('no promtool was found, and CI skips no test; install prometheus')

const check = isThere ? test : test.skip

check('the rules, and when they fire', () => {
  const rules = promtool(['check', 'rules', fileOf('../../deploy/prometheus/alerts.yaml')])
  expect([rules.status, rules.stderr]).toEqual([0, ''])
  const { status, stdout, stderr } = promtool(['test', 'rules', fileOf('./alert-rules.yaml')])
  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
})
