// What commands print fits a terminal of 80 columns, and in a file a row is a line.
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const wide = text => text.split('\n').filter(line => line.length > 80)

test('the usual output of every command', async () => {
  const { home, write } = project({ tools: { echo: {}, look_up_the_order: { requires: ['orders'] } } })
  write('terminal.mjs', 'Object.assign(process.stdout, { isTTY: true, columns: 80 })\n')
  const env = {
    NODE_OPTIONS: `--import=${pathToFileURL(path.join(home, 'terminal.mjs')).href}`,
    NO_COLOR: '1',
    TOOLGATE_AUDIT: 'audit.jsonl',
    TOOLGATE_SPOKEN_CONSENT: 'on',
  }
  const run = words => toolgate(words, { cwd: home, env })
  const built = await run(['build'])
  const said = await Promise.all(
    [
      ['check'],
      ['list'],
      ['describe', 'echo'],
      ['describe', 'echo', '--provider', 'gemini'],
      ['explain'],
      ['doctor'],
      ['new', 'find_the_first_order'],
      ['call', 'echo', '{}'],
      ['store', 'check', '--store', 'new.sqlite'],
      ['sessions', 'list', '--store', 'new.sqlite'],
    ].map(run),
  )
  for (const { stdout } of [built, ...said]) expect(wide(stdout)).toEqual([])
})

test('in a file', async () => {
  const { home } = project()
  const { stdout } = await toolgate(['explain'], { cwd: home })
  const rows = stdout.split('\n').filter(line => / (error|warning) /.test(line))
  expect(rows.length).toBeGreaterThan(20)
  expect(wide(stdout).length).toBeGreaterThan(0)
  expect(stdout.trimEnd().split('\n\n')[0].split('\n').length).toBe(rows.length + 1)
})
