// Colours and columns.
import { createRequire } from 'node:module'

import { toolgate } from '../support/command.mjs'
import { eventLoop, eventually, gateway } from '../support/gate.mjs'
import { project } from '../support/project.mjs'

const require = createRequire(import.meta.url)
const { harmless, printedJson, wantsColor } = require('../../js/cli/terminal.js')
const { withProgress } = require('../../js/cli/progress.js')

const TERMINAL = { isTTY: true }
const FILE = {}

test.each([
  ['a terminal', TERMINAL, [], {}, true],
  ['a file', FILE, [], {}, false],
  ['a dumb terminal', TERMINAL, [], { TERM: 'dumb' }, false],
  ['NO_COLOR', TERMINAL, [], { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', TERMINAL, [], { NO_COLOR: '' }, true],
  ['FORCE_COLOR', FILE, [], { FORCE_COLOR: '1' }, true],
  ['an empty FORCE_COLOR', FILE, [], { FORCE_COLOR: '' }, true],
  ['FORCE_COLOR=0', TERMINAL, [], { FORCE_COLOR: '0' }, false],
  ['both', FILE, [], { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ['--color', FILE, ['--color'], { NO_COLOR: '1' }, true],
  ['--no-color', TERMINAL, ['--no-color'], { FORCE_COLOR: '1' }, false],
  ['the last flag', FILE, ['--no-color', '--color'], {}, true],
])('%s', (_what, stream, flags, env, expected) =>
  expect(wantsColor(stream, { argv: ['node', 'toolgate', ...flags], env })).toBe(expected),
)

test('a command colours as it is told, and its text is the same', async () => {
  const { home, write } = project({ tools: { echo: { lintAccepted: 5 } } })
  write('tools/echo/guide.md', '')
  const [plain, coloured, forced, never] = await Promise.all([
    toolgate(['check'], { cwd: home }),
    toolgate(['check', '--color'], { cwd: home }),
    toolgate(['check'], { cwd: home, env: { FORCE_COLOR: '1' } }),
    toolgate(['check', '--no-color'], { cwd: home, env: { FORCE_COLOR: '1' } }),
  ])
  expect(plain.stdout).toContain('error[')
  expect(plain.stdout).not.toContain('\u001b')
  expect(never.stdout).toBe(plain.stdout)
  expect(coloured.stdout).toContain('\u001b[')
  expect(forced.stdout).toBe(coloured.stdout)
  expect(coloured.stdout.replace(/\u001b\[[0-9;]*m/g, '')).toBe(plain.stdout)
})

test('text of files cannot talk to the terminal', () => {
  expect(harmless('a\u001b[2Jb\u0007\r\n\tc\u009b')).toBe('a\ufffd[2Jb\ufffd\ufffd\n\tc\ufffd')
  expect(harmless('\u202etxet \u2066\u05e9')).toBe('\ufffdtxet \ufffd\u05e9')
})

test('JSON is the same value without a raw command to the terminal', () => {
  const value = { '\u001b[2J\u009b': ['\u202e\u2028', 'é 👍'] }
  const text = printedJson(value)
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/)
  expect(text).toContain('é 👍')
  expect(JSON.parse(text)).toEqual(value)
})

describe('progress', () => {
  const stream = isTTY => ({
    isTTY,
    text: '',
    write(text) {
      this.text += text
    },
  })
  test('shows on a terminal what takes long, and takes it away', async () => {
    const terminal = stream(true)
    const { open, passed } = gateway()
    const building = withProgress('building', passed, { stream: terminal, delayMs: 1 })
    await eventually(() => terminal.text !== '', 'a sign on the terminal')
    open('done')
    expect(await building).toBe('done')
    expect(terminal.text).toMatch(/^\r\u001b\[K\S building.*\r\u001b\[K$/s)
  })

  test('says nothing of what is done soon, and nothing where there is no terminal', async () => {
    const [terminal, file] = [stream(true), stream(false)]
    await withProgress('building', eventLoop(), { stream: terminal, delayMs: 600_000 })
    await withProgress('building', new Promise(resolve => setTimeout(resolve, 30)), { stream: file, delayMs: 0 })
    expect([terminal.text, file.text]).toEqual(['', ''])
  })

  test('hands on a failure', async () => {
    const terminal = stream(true)
    await expect(withProgress('building', Promise.reject(new Error('no')), { stream: terminal })).rejects.toThrow('no')
  })
})
