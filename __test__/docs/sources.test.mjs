// docs/sources.md: its settings fit the schema, its limits are the defaults, and its programs create registries.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import vm from 'node:vm'

import { createRegistry } from '../../index.js'
import { DEFAULT_LIMITS } from '../sources/support.mjs'

const require = createRequire(import.meta.url)
const { SchemaValidator } = require('../../js/tool-sets/schema-validator.js')
const { LOCK_COMMANDS } = require('../../js/cli/mcp/lock-commands.js')

const PAGE = 'docs/sources.md'
const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8')
const blocks = language =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code)

test('the settings fit the published schema, and their policies are fields of a tool', () => {
  const read = name => JSON.parse(readFileSync(new URL(`../../schemas/${name}`, import.meta.url), 'utf8'))
  const validator = new SchemaValidator(read('source.schema.json'))
  const { properties } = read('tool.schema.json')
  const settings = blocks('json').map(text => JSON.parse(text))
  expect(settings.map(value => validator.validate(value).errors)).toEqual(settings.map(() => []))
  const policies = settings.flatMap(({ tools = {} }) => Object.values(tools)).filter(policy => policy !== false)
  expect(policies.length).toBeGreaterThan(0)
  for (const policy of policies)
    for (const [name, value] of Object.entries(policy))
      expect(
        new SchemaValidator({ ...properties[name], $defs: read('tool.schema.json').$defs }).validate(value).errors,
      ).toEqual([])
})

test('the limits are the defaults', () => {
  const shown = [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| ([^|]+) \|/gm)].flatMap(([, names, values]) => {
    const listed = values.trim().split(/, (?=\d)/)
    return names.split(', ').map((name, index) => [name.replaceAll('`', ''), listed[index]])
  })
  const limits = Object.fromEntries(shown.filter(([name]) => Object.hasOwn(DEFAULT_LIMITS, name)))
  const units = { MiB: 1024 * 1024, KiB: 1024, min: 60_000 }
  const number = text => {
    const [, count, unit] = /^([\d,]+)(?: (\w+))?$/.exec(text)
    return Number(count.replaceAll(',', '')) * (units[unit] ?? 1)
  }
  expect(Object.fromEntries(Object.entries(limits).map(([name, text]) => [name, number(text)]))).toEqual(DEFAULT_LIMITS)
})

test('the programs create registries', () => {
  for (const program of blocks('js')) {
    const code = program.replace(/^import .*\n/, '').replace('const registry =', 'registry =')
    const made = vm.runInNewContext(`let registry; ${code}; registry`, { createRegistry, process })
    expect(typeof made.sources).toBe('function')
  }
})

test('the commands exist', () => {
  const shown = [...page.matchAll(/^ +npx toolgate mcp (\w+)/gm)].map(([, name]) => name)
  expect([...new Set(shown)].sort()).toEqual(LOCK_COMMANDS.map(({ does }) => does).sort())
})
