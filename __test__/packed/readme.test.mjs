// The README's commands and code, in an empty folder with the packed package: they run, and print what the comments say.
import { readFile } from 'node:fs/promises'

import { createProject, packPackage } from './project.mjs'

let readme, packed, project

beforeAll(async () => {
  readme = await readFile('README.md', 'utf8')
  packed = await packPackage()
  project = await createProject({ tarball: packed.tarball, manifest: { type: 'commonjs' } })
}, 240_000)
afterAll(async () => {
  await project?.remove()
  await packed?.remove()
})

/** The comments at the ends of the lines that print. */
const saidIn = code => [...code.matchAll(/console\.log\(.*?\)\s+\/\/ (.*)$/gm)].map(([, comment]) => comment)

test('the first use: the commands, then the program', async () => {
  const use = readme.slice(readme.indexOf('## Use it'))
  const [, commands, code] = /\n\n((?: {4}np.*\n)+)\n```js\n([^]*?)```/.exec(use)
  const [install, ...others] = commands.split('\n').flatMap(line => line.split('#')[0].trim() || [])
  expect(install).toBe('npm install toolgate')
  for (const command of others) {
    const [program, ...args] = command.split(' ')
    await project.run(program, args)
  }
  await project.write({ 'first.js': code })
  const lines = (await project.run('node', ['first.js'])).trimEnd().split('\n')
  const isAudit = line => line.startsWith('{"')
  expect(lines.filter(line => !isAudit(line))).toEqual(saidIn(code).map(said => said.replace(/: nothing ran$/, '')))
  expect(lines.filter(isAudit).map(line => JSON.parse(line).event)).toContain('tool_replayed')
}, 240_000)

test('an existing tool is brought in', async () => {
  const [, code] = /```js\n(const { compileTool }[^]*?)```/.exec(readme)
  await project.write({ 'existing.js': code })
  const said = [...code.matchAll(/(?<=^|\s)\/\/ (.*)$/gm)].map(([, comment]) => comment)
  expect((await project.run('node', ['existing.js'])).trimEnd().split('\n')).toEqual(said)
}, 60_000)
