// Tool folders that no author writes on purpose, through the command itself.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const OUTPUTS = ['tool_registry.json', 'tool_registry.d.ts', 'handlers.mjs']
const onUnix = process.platform === 'win32' ? test.skip : test

/** Builds a good tool set, then once more after a change; the outputs stay byte for byte what they were. */
async function builtAfter(change, words = ['build', 'tools']) {
  const { home, tools } = project({ tools: { echo: {} } })
  expect(await toolgate(['build', 'tools'], { cwd: home })).toMatchObject({ code: 0, stderr: '' })
  const outputs = () => OUTPUTS.map(name => readFileSync(path.join(tools, name), 'hex'))
  const good = outputs()
  change(path.join(tools, 'echo'), tools)
  const { code, signal, stdout, stderr } = await toolgate(words, { cwd: home })
  expect({ code, signal, stderr }).toEqual({ code: 1, signal: null, stderr: '' })
  expect(outputs()).toEqual(good)
  return stdout
}

const SPOILED = '1 error; the last good tool set is untouched\n'

test('a byte that is no UTF-8 is shown where it stands', async () => {
  const stdout = await builtAfter(echo =>
    writeFileSync(path.join(echo, 'guide.md'), Buffer.from('# echo\n\nSay \xe9t.\n', 'latin1')),
  )
  expect(stdout).toMatch(
    /^error\[unreadable-file\]: `guide\.md` can't be read: it is not UTF-8.*\n +--> tools\/echo\/guide\.md:3:5\n/,
  )
  expect(stdout.endsWith(SPOILED)).toBe(true)
})

onUnix('a pipe is not waited for, neither as a handler nor as a schema module', async () => {
  const pipe = (folder, name) => {
    rmSync(path.join(folder, name), { force: true })
    execFileSync('mkfifo', [path.join(folder, name)])
  }
  const handler = await builtAfter(echo => pipe(echo, 'handler.js'))
  expect(handler).toMatch(
    /^error\[unreadable-file\]: `handler\.js` can't be read: it is not a file\n *--> tools\/echo\/handler\.js\n/,
  )
  expect(handler.endsWith(SPOILED)).toBe(true)
  expect(await builtAfter(echo => pipe(echo, 'schema.js'))).toMatch(
    /^error\[unreadable-file\]: `schema\.js` can't be read/,
  )
  const oneFile = echo => {
    for (const name of ['schema.json', 'handler.js']) rmSync(path.join(echo, name), { force: true })
    pipe(echo, 'tool.ts')
  }
  expect(await builtAfter(oneFile)).toContain("error[unreadable-file]: `tool.ts` can't be read (it is not a file)")
})

onUnix('names and texts of tools give the terminal no command', async () => {
  const name = '\u001b]0;owned\u0007\u001b[2J\u009b2J\rFORGED\n\u202etxet'
  const spoil = (echo, tools) => {
    mkdirSync(path.join(tools, name))
    symlinkSync('loop', path.join(tools, 'loop'))
    writeFileSync(path.join(echo, 'schema.json'), `{ "toolId": ${JSON.stringify(name)}, "${'\u009b2J\u202e'}": 1`)
  }
  const acts = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/
  const drawn = await builtAfter(spoil)
  expect(drawn).toContain('tools/␛]0;owned␇␛[2J\ufffd2J␍FORGED␊\ufffdtxet/guide.md')
  expect(drawn).not.toMatch(acts)
  const json = await builtAfter(spoil, ['build', 'tools', '--json'])
  expect(json).not.toMatch(acts)
  const files = JSON.parse(json).diagnostics.map(({ file }) => file)
  expect(files).toContain(`tools/${name}/guide.md`)
})
