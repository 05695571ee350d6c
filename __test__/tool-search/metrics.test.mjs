// What was declared to models, and what search and deferral saved.
import { createRequire } from 'node:module'

import { openGate } from '../support/gate.mjs'
import { readOpenMetrics } from '../support/openmetrics.mjs'

const { prometheusText } = createRequire(import.meta.url)('../../index.js')

const execute = () => ({ ok: true })
const tools = {
  finder: { requires: ['registry'], description: 'Searches the tools.', execute },
  always: { alwaysDeclared: true, description: 'Is always declared.', execute },
  read_mail: { description: 'Reads the mail of a person.', execute },
  send_mail: { description: 'Sends mail to a person.', allowedModes: ['text'], execute },
  admin_mail: { description: 'Counts the mail of all people.', requiredRoles: ['admin'], execute },
}

/** Bytes of the compact JSON of each declaration / 4, rounded up. */
const tokensOf = declared =>
  declared.reduce((sum, one) => sum + Math.ceil(Buffer.byteLength(JSON.stringify(one)) / 4), 0)
const counted = ({ declarations, declarationTokens }) => [declarations, declarationTokens]

test('nothing is counted before something is declared', async () => {
  const { registry } = await openGate(tools)
  expect(registry.getMetrics()).not.toHaveProperty('(declared)')
})

test('a list with all declarations is counted each time, by mode, and leaves nothing out', async () => {
  const { registry } = await openGate(tools)
  const text = registry.getProviderSchemas('openai', { mode: 'text' })
  registry.getProviderSchemas('openai', { mode: 'text' })
  const none = registry.getProviderSchemas('anthropic')
  const { '(declared)': declared, '(undeclared)': undeclared } = registry.getMetrics()
  expect(counted(declared.text)).toEqual([2 * text.length, 2 * tokensOf(text)])
  expect(counted(declared['(none)'])).toEqual([none.length, tokensOf(none)])
  expect(counted(declared.total)).toEqual([2 * text.length + none.length, 2 * tokensOf(text) + tokensOf(none)])
  expect([undeclared.text, undeclared.total].map(counted)).toEqual([
    [0, 0],
    [0, 0],
  ])
})

test('search and deferral count what they leave out, of the tools that the viewer may use', async () => {
  const { registry } = await openGate(tools)
  const viewer = { mode: 'text', roles: ['admin'] }
  const search = registry.getProviderSchemas('anthropic', { ...viewer, toolSearch: 'gate' })
  expect(search.map(({ name }) => name).toSorted()).toEqual(['always', 'finder'])
  const { '(declared)': declared, '(undeclared)': undeclared } = registry.getMetrics()
  expect(counted(declared.text)).toEqual([2, tokensOf(search)])
  expect(undeclared.text.declarations).toBe(3)

  const all = registry.getProviderSchemas('anthropic', viewer)
  expect(undeclared.text.declarationTokens).toBe(tokensOf(all) - tokensOf(search))
  registry.getProviderSchemas('anthropic', { ...viewer, toolSearch: 'provider' })
  const after = registry.getMetrics()
  const always = tokensOf(all.filter(({ name }) => name === 'always'))
  expect(counted(after['(declared)'].text)).toEqual([2 + 5 + 1, tokensOf(search) + tokensOf(all) + always])
  expect(counted(after['(undeclared)'].text)).toEqual([
    3 + 4,
    tokensOf(all) - tokensOf(search) + tokensOf(all) - always,
  ])
})

test('the declarations of a session and those of many viewers are counted', async () => {
  const { registry, session } = await openGate(tools)
  const declared = (await session({ mode: 'voice', toolSearch: 'gate' })).declared('openai')
  for (let n = 0; n < 200; n++) registry.getProviderSchemas('openai', { mode: 'voice', roles: [`role-${n}`] })
  const { '(declared)': counts, '(undeclared)': left } = registry.getMetrics()
  expect([counts.voice.declarations, left.voice.declarations]).toEqual([declared.length + 200 * 3, 1])
})

test('a mode that no tool knows is not counted', async () => {
  const { registry } = await openGate(tools)
  for (const mode of ['__proto__', 'total', 'constructor', ...Array.from({ length: 200 }, (_, n) => `made-up-${n}`)])
    expect(registry.getProviderSchemas('openai', { mode })).toEqual([])
  expect(registry.getMetrics()).not.toHaveProperty('(declared)')
  expect({}.declarations).toBeUndefined()
})

test('OpenMetrics has a series of what was sent and one of what was left out', async () => {
  const { registry } = await openGate(tools)
  const [{ length: sent }] = [registry.getProviderSchemas('openai', { mode: 'text', toolSearch: 'gate' })]
  const families = readOpenMetrics(prometheusText(registry.getMetrics()))
  expect(families.get('toolgate_declarations').samples).toEqual({
    'toolgate_declarations_total{declared="yes",mode="text"}': sent,
    'toolgate_declarations_total{declared="no",mode="text"}': 2,
  })
  expect(Object.keys(families.get('toolgate_declaration_tokens').samples)).toHaveLength(2)
  expect(families.get('toolgate_calls').samples).toEqual({})
})
