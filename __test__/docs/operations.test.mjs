// The names in the page for operators are those of the alerts, the audit, the commands and the settings.
import { readFile } from 'node:fs/promises'

import { load } from 'js-yaml'

import { SETTINGS } from '../../js/http/index.js'
import { ErrorType } from '../../tools/_core/error-types.js'
import { auditEvents } from '../support/audit-events.mjs'

const read = path => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

test('each alert has its row, and each row its alert', async () => {
  const page = await read('docs/operations.md')
  const rows = [...page.matchAll(/^\| `(Toolgate\w+)` \|/gm)].map(([, name]) => name)
  const { groups } = load(await read('deploy/prometheus/alerts.yaml'))
  expect(rows).toEqual(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)))
})

test('error types and events exist', async () => {
  const page = await read('docs/operations.md')
  const types = [...page.matchAll(/`([A-Z]{4,}(?:_[A-Z]+)*)`/g)].map(([, name]) => name)
  expect(types.length).toBeGreaterThan(4)
  const commandsOfRedis = ['FLUSHALL']
  const known = [...Object.values(ErrorType), ...commandsOfRedis, ...SETTINGS.map(({ name }) => name)]
  expect(types.filter(name => !known.includes(name))).toEqual([])
  const events = new Set(await auditEvents())
  const named = [...page.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(4)
  expect(named.filter(name => !events.has(name))).toEqual([])
})

test('commands exist', async () => {
  const page = await read('docs/operations.md')
  const commands = [...page.matchAll(/`toolgate (\w+) (\w+)/g)].map(([, command, action]) => [command, action])
  expect(commands.length).toBeGreaterThan(4)
  for (const [command, action] of commands) {
    const source = await read(`js/cli/commands/${command}.js`)
    expect([action, new RegExp(`\\b${action}\\b`).test(source)]).toEqual([action, true])
  }
})
