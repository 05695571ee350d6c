// What commands say of a tools folder that is not there.
import path from 'node:path'

import { toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const HINT = 'name the tools folder, or write a first tool with `toolgate init`'
const told = found => ({ code: 1, stdout: '', stderr: `toolgate: ${found}\n${HINT}\n` })

const expectTold = async (table, cwd) => {
  const ran = await Promise.all(table.map(([words]) => toolgate(words, { cwd })))
  const outcomes = ran.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))
  expect(outcomes).toEqual(table.map(([, found]) => told(found)))
}

test('every command that reads sources names it in a line and a hint', async () => {
  const { home, write } = project({ tools: { echo: {} } })
  write('a-file', 'text')
  const NO_FOLDER = 'there is no folder `toools`'
  await expectTold(
    [
      ...['build', 'check', 'watch', 'list', 'mcp'].map(command => [[command, 'toools'], NO_FOLDER]),
      [['build', '--tools', 'toools'], NO_FOLDER],
      [['list', 'toools', '--json'], NO_FOLDER],
      [['describe', 'echo', '--tools', 'toools'], NO_FOLDER],
      [['check', path.join(home, 'toools')], NO_FOLDER],
      ...['build', 'check', 'watch', 'list'].map(command => [[command, 'a-file'], '`a-file` is not a folder']),
    ],
    home,
  )
})

test('a project that has no tools yet', async () => {
  const home = temporaryFolder()
  const commands = [['build'], ['check'], ['watch'], ['list'], ['describe', 'echo'], ['mcp']]
  await expectTold(
    commands.map(words => [words, 'there is no folder `tools`']),
    home,
  )
  const { code, stdout } = await toolgate(['doctor', '--json'], { cwd: home })
  expect(code).toBe(1)
  expect(JSON.parse(stdout).checks).toContainEqual({
    check: 'tools',
    status: 'problem',
    message: 'there is no folder `tools`',
    help: HINT,
  })
})

test('as JSON, the report has a finding about it', async () => {
  for (const command of ['build', 'check']) {
    const { code, stdout, stderr } = await toolgate([command, '--json'], { cwd: temporaryFolder() })
    expect([code, stderr]).toEqual([1, ''])
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, diagnostics: [{ code: 'missing-file', file: 'tools' }] })
  }
})
