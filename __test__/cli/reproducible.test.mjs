// The same commit gives the same bytes, wherever it is checked out.
import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'

import { toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const OUTPUTS = ['tool_registry.json', 'tool_registry.d.ts', 'handlers.mjs']

const git = (cwd, ...words) =>
  execFileSync('git', words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    },
  })

/** One tool in JSON with a shared module, one written with Zod. */
function repository() {
  const { home, write } = project({ tools: { echo: { properties: { text: { type: 'string' } } } } })
  write(
    'tools/echo/handler.js',
    "import { answer } from '../_shared/answer.js'\nexport const execute = ({ args }) => answer(args)\n",
  )
  write('tools/_shared/answer.js', 'export const answer = data => ({ ok: true, data })\n')
  write(
    'tools/by-code/schema.mjs',
    `import * as z from 'zod'
    export default {
      toolId: 'by_code', version: '1.0.0', description: 'A tool in code.', category: 'utility', sideEffects: 'none', idempotent: true,
      requiresConfirmation: false, allowedModes: ['text'], latencyBudgetMs: 1000,
      parameters: z.object({ when: z.iso.date(), place: z.object({ city: z.string() }).optional() }),
    }`,
  )
  write(
    'tools/by-code/guide.md',
    '# by_code\n\nServes the tests.\n\n## Parameters\n\n- `when`: a day.\n- `place`: where.\n  - `city`: its name.\n\n## Examples\n\nNone.\n',
  )
  write('tools/by-code/handler.cjs.txt', 'no source')
  write('tools/by-code/handler.js', 'export const execute = () => ({ ok: true })\n')
  write('.gitignore', 'node_modules\ntool_registry.*\nhandlers.mjs\n')
  git(home, 'init', '-q')
  git(home, 'add', '.')
  git(home, 'commit', '-qm', 'tools')
  return home
}

test('two clones at different paths give the same three files', async () => {
  const original = repository()
  const commit = git(original, 'rev-parse', 'HEAD').trim()
  const clones = ['a', 'b with spaces/and deeper'].map(name => {
    const clone = path.join(original, 'clones', name)
    git(original, 'clone', '-q', original, clone)
    symlinkSync(path.join(original, 'node_modules'), path.join(clone, 'node_modules'), 'dir')
    return clone
  })
  const [first, second] = await Promise.all(
    clones.map(async (cwd, index) => {
      // From within and from outside: where the command is called does not count either.
      const words = index === 0 ? ['build', '--json'] : ['build', path.join(cwd, 'tools'), '--json']
      const { code, stdout } = await toolgate(words, {
        cwd: index === 0 ? cwd : original,
        env: { SOURCE_DATE_EPOCH: '1700000000' },
      })
      expect(code).toBe(0)
      return { report: JSON.parse(stdout), files: OUTPUTS.map(name => readFileSync(path.join(cwd, 'tools', name))) }
    }),
  )
  expect(first.report).toEqual(second.report)
  for (const [index, file] of first.files.entries()) expect(file.equals(second.files[index])).toBe(true)
  const artifact = JSON.parse(first.files[0])
  expect(artifact).toMatchObject({ gitCommit: commit, buildTimestamp: '2023-11-14T22:13:20.000Z' })
  expect(artifact.tools.map(({ toolId, handlerPath }) => [toolId, handlerPath])).toEqual([
    ['by_code', 'by-code/handler.js'],
    ['echo', 'echo/handler.js'],
  ])
  expect(first.files.map(String).join()).not.toContain(original)
})
