// The README's commands and code, and the tool that tools/README.md brings in, in an empty folder with the packed package: they
// run, and print what the comments say.
import { blockWith, pageText, printedIn } from '../support/page.mjs'
import { createProject, packPackage } from './project.mjs'

let packed, project

beforeAll(async () => {
  packed = await packPackage()
  project = await createProject({ tarball: packed.tarball, manifest: { type: 'commonjs' } })
})
afterAll(async () => {
  await project?.remove()
  await packed?.remove()
})

test('the first use: the commands, then the program', async () => {
  const [, commands] = /## Install\n[^#]+?\n\n((?: {4}np.*\n)+)\n/.exec(pageText('README.md'))
  const [install, ...others] = commands.split('\n').flatMap(line => line.split('#')[0].trim() || [])
  expect([install, others.length]).toEqual(['npm install toolgate', 2])
  for (const command of others) {
    const [program, ...args] = command.split(' ')
    await project.run(program, args)
  }
  const code = blockWith('README.md', 'session.execute(call)')
  await project.write({ 'first.cjs': code })
  expect((await project.run('node', ['first.cjs'])).trimEnd().split('\n')).toEqual(printedIn(code))
})

test('an existing tool is brought in', async () => {
  const code = blockWith('tools/README.md', 'compileTool({')
  await project.write({ 'existing.js': code })
  const said = [...code.matchAll(/(?<=^|\s)\/\/ (.*)$/gm)].map(([, comment]) => comment)
  expect((await project.run('node', ['existing.js'])).trimEnd().split('\n')).toEqual(said)
})
