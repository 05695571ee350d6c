// `toolgate build` and `toolgate check`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const OUTPUTS = ['tool_registry.json', 'tool_registry.d.ts', 'handlers.mjs']
const outputsIn = folder => OUTPUTS.filter(name => existsSync(path.join(folder, name)))
/** With one warning: it writes without asking. */
const WARNED = { kind: 'write', lintAccepted: [] }

test('a good tool set is written, and one line says so', async () => {
  const { home, tools } = project({ tools: { echo: {} } })
  const { code, stdout, stderr } = await toolgate(['build'], { cwd: home })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^built 1 tool, version 1\.0\.[0-9a-f]{8}: tools\/tool_registry\.json\n$/)
  expect(outputsIn(tools)).toEqual(OUTPUTS)
})

test('errors are drawn, fail, and leave the last good tool set', async () => {
  const { home, tools, write } = project({ tools: { echo: {} } })
  await toolgate(['build'], { cwd: home })
  const good = readFileSync(path.join(tools, 'tool_registry.json'), 'utf8')
  write(
    'tools/echo/schema.json',
    readFileSync(path.join(tools, 'echo/schema.json'), 'utf8').replace('"utility"', '"utlity"'),
  )
  const [built, checked, json] = await Promise.all(
    [['build'], ['check'], ['check', '--json']].map(words => toolgate(words, { cwd: home })),
  )
  for (const { code, stdout } of [built, checked]) {
    expect(code).toBe(1)
    expect(stdout).toMatch(/^error\[bad-enum\]: `category` is `utlity`\n +--> tools\/echo\/schema\.json:1:\d+\n/)
    expect(stdout).toContain('^^^^')
    expect(stdout).toContain('help: did you mean `utility`?')
  }
  expect(built.stdout).toMatch(
    /\n\nrun `toolgate explain bad-enum` for details\n1 error; the last good tool set is untouched\n$/,
  )
  expect(checked.stdout).toMatch(/\n\nrun `toolgate explain bad-enum` for details\n1 error\n$/)
  expect(JSON.parse(json.stdout)).toEqual({
    ok: false,
    version: null,
    tools: [],
    diagnostics: [
      expect.objectContaining({
        code: 'bad-enum',
        severity: 'error',
        file: 'tools/echo/schema.json',
        line: 1,
        pointer: '/category',
      }),
    ],
  })
  expect(readFileSync(path.join(tools, 'tool_registry.json'), 'utf8')).toBe(good)
})

test('warnings pass, unless they are denied: then nothing is written', async () => {
  const { home, tools } = project({ tools: { note: WARNED } })
  const denied = await toolgate(['build', '--deny-warnings'], { cwd: home })
  expect(denied.code).toBe(1)
  expect(denied.stdout).toMatch(
    /^warning\[writes-without-confirmation\].*\n1 warning \(denied\); the last good tool set is untouched\n$/s,
  )
  expect(outputsIn(tools)).toEqual([])
  const [checked, strict] = await Promise.all(
    [['check'], ['check', '--deny-warnings']].map(words => toolgate(words, { cwd: home })),
  )
  expect([checked.code, strict.code]).toEqual([0, 1])
  expect(checked.stdout).toMatch(/\n1 tool: 1 warning\n$/)
  expect(outputsIn(tools)).toEqual([])
  const built = await toolgate(['build', '--json'], { cwd: home })
  expect(built.code).toBe(0)
  expect(JSON.parse(built.stdout)).toMatchObject({ ok: true, tools: ['note'], diagnostics: [{ severity: 'warning' }] })
  expect(outputsIn(tools)).toEqual(OUTPUTS)
})

test('the tools folder is given as an argument, as an option, or in package.json; flags win', async () => {
  const { home, tools, write } = project({
    manifest: { toolgate: { tools: 'src/my tools', out: 'dist', modes: ['kiosk'] } },
    tools: { unused: {} },
  })
  write(
    'src/my tools/wait/schema.json',
    JSON.stringify({
      toolId: 'wait',
      version: '1.0.0',
      description: 'Waits.',
      category: 'utility',
      sideEffects: 'none',
      idempotent: true,
      requiresConfirmation: false,
      allowedModes: ['kiosk'],
      latencyBudgetMs: 10,
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    }),
  )
  write('src/my tools/wait/guide.md', '# wait\n\nWaits.\n\n## Parameters\n\nNone.\n\n## Examples\n\nNone.\n')
  write('src/my tools/wait/handler.js', 'export const execute = () => ({ ok: true })\n')
  const below = path.join(home, 'src', 'my tools')
  const [configured, other, flagged] = await Promise.all([
    toolgate(['build', '--json'], { cwd: below }),
    toolgate(['build', 'tools', '--json'], { cwd: home }),
    toolgate(['build', '--json', '--tools', 'src/my tools', '--out', 'elsewhere', '--modes', 'lobby, hall'], {
      cwd: home,
    }),
  ])
  expect(JSON.parse(configured.stdout)).toMatchObject({ ok: true, tools: ['wait'], diagnostics: [] })
  expect(outputsIn(path.join(home, 'dist'))).toEqual(OUTPUTS)
  // Another folder's tools do not go to the project's output.
  expect(JSON.parse(other.stdout).tools).toEqual(['unused'])
  expect(outputsIn(tools)).toEqual(OUTPUTS)
  expect(JSON.parse(flagged.stdout).diagnostics).toMatchObject([{ code: 'unknown-mode' }])
  expect(outputsIn(path.join(home, 'elsewhere'))).toEqual(OUTPUTS)
})

test('a wrong configuration is wrong usage, and says what would be right', async () => {
  const { home } = project({ tools: { echo: {} } })
  const manifest = path.join(home, 'package.json')
  const table = [
    ['{ "toolgate": { "tool": "x" } }', `unknown field \`toolgate.tool\` in \`${manifest}\`\ndid you mean \`tools\`?`],
    [
      '{ "toolgate": { "colour": "x" } }',
      `unknown field \`toolgate.colour\` in \`${manifest}\`\nuse one of \`tools\`, \`out\`, \`sources\`, \`modes\`, \`providers\`, \`services\``,
    ],
    [
      '{ "toolgate": { "modes": "kiosk" } }',
      `\`toolgate.modes\` in \`${manifest}\` is "kiosk"\nit must be a list of names`,
    ],
    [
      '{ "toolgate": [] }',
      `\`toolgate\` in \`${manifest}\` is not an object\nwrite \`"toolgate": { "tools": "tools" }\``,
    ],
    ['{', expect.stringContaining(`\`${manifest}\` is not valid JSON: `)],
  ]
  for (const [text, told] of table) {
    writeFileSync(manifest, text)
    const { code, stdout, stderr } = await toolgate(['check'], { cwd: home })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toEqual(typeof told === 'string' ? `toolgate: ${told}\n` : told)
  }
})

test('what is missing or can not be written is a finding', async () => {
  const { home, write } = project({ tools: { echo: {} } })
  write('taken', 'a file')
  const [missing, blocked] = await Promise.all(
    [
      ['build', 'toools', '--json'],
      ['build', '--out', 'taken', '--json'],
    ].map(words => toolgate(words, { cwd: home })),
  )
  expect([missing.code, blocked.code]).toEqual([1, 1])
  expect(JSON.parse(missing.stdout).diagnostics).toMatchObject([{ code: 'missing-file', file: 'toools' }])
  expect(JSON.parse(blocked.stdout).diagnostics).toMatchObject([{ code: 'write-failed', file: 'taken' }])
})

test('what an author prints goes to standard error', async () => {
  const { home, write } = project({ tools: { echo: {} } })
  write('tools/echo/schema.js', "console.log('printed by an author')\nexport default {}\n")
  const { code, stdout, stderr } = await toolgate(['check', '--json'], { cwd: home })
  expect(code).toBe(0)
  expect(JSON.parse(stdout).ok).toBe(true)
  expect(stderr).toBe('printed by an author\n')
})
