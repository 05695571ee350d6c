// How the command is called: help, wrong usage, exit codes, pipes.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { startToolgate, toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const { COMMANDS } = createRequire(import.meta.url)('../../js/cli/program.js')
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

test('every command has a help with examples, on standard output', async () => {
  const cwd = temporaryFolder()
  const helps = await Promise.all(COMMANDS.map(name => toolgate([name, '--help'], { cwd })))
  for (const [index, { code, stdout, stderr }] of helps.entries()) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^Usage: toolgate ${COMMANDS[index]} `))
    expect(stdout).toMatch(new RegExp(`Examples:\\n {2}\\$ .*toolgate ${COMMANDS[index]}`))
    expect(stdout).not.toContain('\u001b')
  }
})

test('no help is wider than 80 columns', async () => {
  const cwd = temporaryFolder()
  const helps = await Promise.all(
    [['--help'], ['help'], ...COMMANDS.map(name => [name, '--help'])].map(words => toolgate(words, { cwd })),
  )
  expect(helps.flatMap(({ stdout }) => stdout.split('\n').filter(line => line.length > 80))).toEqual([])
})

test('what is not there is named: a command, a file, a call', async () => {
  const { home, write } = project()
  write('audit.jsonl', `${JSON.stringify({ event: 'tool_refused', callId: 'c1', at: '2026-03-01T08:00:00.000Z' })}\n`)
  const env = { TOOLGATE_STORE: '', TOOLGATE_AUDIT_KEY: '' }
  const ran = words => toolgate(words, { cwd: home, env })
  const [help, verify, show, call] = await Promise.all(
    [
      ['help', 'bild'],
      ['audit', 'verify', 'nofile.jsonl'],
      ['audit', 'show', 'nofile.jsonl'],
      ['audit', 'show', 'audit.jsonl', '--call', 'nope'],
    ].map(ran),
  )
  expect(help).toMatchObject({ code: 2, stdout: '' })
  expect(help.stderr).toContain('unknown command `bild`; did you mean `build`?')
  for (const { code, stderr } of [verify, show])
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'toolgate: there is no file `nofile.jsonl`\n' })
  expect(call).toMatchObject({ code: 1, stdout: '', stderr: 'toolgate: there is no line of call `nope`\n' })
})

test('the whole help names every command and the exit codes; without a command it is wrong usage', async () => {
  const cwd = temporaryFolder()
  const [help, none, named] = await Promise.all([['--help'], [], ['--version']].map(words => toolgate(words, { cwd })))
  expect([help.code, none.code, named.code]).toEqual([0, 2, 0])
  for (const name of COMMANDS) expect(help.stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  expect(help.stdout).toContain('Exit codes:\n  0 ')
  expect({ ...none, stderr: '' }).toMatchObject({ stdout: '', stderr: '' })
  expect(none.stderr).toBe(help.stdout)
  expect(named.stdout).toBe(`${version}\n`)
})

test('the documentation has a row for every command, and no more', () => {
  const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  const [, table] = page.split('| command |')
  const rows = table.split('\n\n')[0].matchAll(/^\| `(\w+)/gm)
  expect([...new Set([...rows].map(([, name]) => name))].sort()).toEqual([...COMMANDS].sort())
})

test('wrong usage is one line and a hint, with exit code 2', async () => {
  const { home } = project({ tools: { echo: {}, say_hello: {} } })
  const table = [
    [['biuld'], 'unknown command `biuld`; did you mean `build`?\nsee `toolgate --help`'],
    [['build', '--outt', 'x'], 'unknown option `--outt`; did you mean `--out`?\nsee `toolgate build --help`'],
    [['build', 'a', 'b'], 'too many arguments for `build`: expected 1 argument but got 2\nsee `toolgate build --help`'],
    [['build', 'a', '--tools', 'b'], 'two tools folders are named: `a` and `b`\nname one of them'],
    [
      ['check', '--modes', ','],
      'option `--modes <names>` argument `,` is invalid: give names, separated by commas\nsee `toolgate check --help`',
    ],
    [
      ['check', '--modes', 'kiosk,total'],
      "a mode can't be named `total`: metrics have a row of that name\nrename the mode",
    ],
    [
      ['mcp', '--http', '--allow-origin', 'https://ada:word@app.example'],
      'an entry must be an origin without path, such as `https://app.example`\ncorrect `--allow-host` or `--allow-origin`',
    ],
    [['check', '--modes'], 'option `--modes <names>` argument missing\nsee `toolgate check --help`'],
    [['describe'], 'missing required argument `tool`\nsee `toolgate describe --help`'],
    [['describe', 'say_helo'], 'there is no tool `say_helo`\ndid you mean `say_hello`?'],
    [['describe', 'zzz'], 'there is no tool `zzz`\nsee `toolgate list`'],
    [['describe', 'echo', '--provider', 'openia'], 'there is no provider `openia`\ndid you mean `openai`?'],
    [['explain', 'bad_default'], 'there is no finding `bad_default`\ndid you mean `bad-default`?'],
    [['explain', 'zzz'], 'there is no finding `zzz`\n`toolgate explain` lists them'],
    [
      ['new', 'SayHello'],
      '`SayHello` is not a valid tool name\na name has lower-case letters, digits and `_`, begins with a letter, and has at most 64 characters; try `say_hello`',
    ],
    [
      ['store', 'check', '--store', 'reddis://ada:secret@127.0.0.1'],
      'a store is the path of a file, without quotes and blanks around it, or a URL that begins with `redis://`, `rediss://` or `postgres://`',
    ],
    [['new', 'x', '--category', 'actoin'], 'there is no category `actoin`\ndid you mean `action`?'],
  ]
  const ran = await Promise.all(table.map(([words]) => toolgate(words, { cwd: home })))
  expect(ran.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))).toEqual(
    table.map(([, told]) => ({ code: 2, stdout: '', stderr: `toolgate: ${told}\n` })),
  )
})

test('a reader that has seen enough ends it quietly', async () => {
  const { home, write } = project()
  const tool = {
    toolId: 'x',
    category: 'utility',
    sideEffects: 'none',
    idempotent: true,
    allowedModes: ['text'],
    version: '1.0.0',
  }
  write('big.json', JSON.stringify({ version: '1.0.00000000', tools: Array.from({ length: 20_000 }, () => tool) }))
  const child = startToolgate(['list', '--artifact', 'big.json'], { cwd: home })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  child.stdout.once('data', () => child.stdout.destroy())
  const [code, signal] = await once(child, 'close')
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
})
