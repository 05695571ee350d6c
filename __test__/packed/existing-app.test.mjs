// What two tools cost an existing application: the commands, files and lines of docs/existing-app.md, counted from the packed package.
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import { filesOfPage } from '../support/page.mjs'
import { packPackage } from './project.mjs'

const run = promisify(execFile)
/** At most. */
const GOALS = { commands: 2, glueLines: 12 }

let packed
let folders = []

beforeAll(async () => {
  packed = await packPackage()
})
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  await packed?.remove()
})

/** An application without the package. `command` runs in it and is counted. */
async function application(manifest) {
  const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-app-'))
  folders.push(folder)
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'app', type: 'module', ...manifest }))
  const env = { ...process.env, NODE_OPTIONS: '' }
  const commands = []
  const command = async (program, ...args) => {
    commands.push([program, ...args].join(' '))
    return (await run(program, args, { cwd: folder, env, timeout: 1_200_000 })).stdout
  }
  return { folder, commands, command }
}

/** The files of the application that it had to write or change by itself: no tool, no manifest, nothing installed. */
async function filesBesideTools(folder) {
  const names = await readdir(folder)
  return names.filter(name => !['node_modules', 'package.json', 'package-lock.json', 'tools'].includes(name)).sort()
}

const linesOf = text => text.split('\n').filter(line => line.trim() !== '').length

/** The numbers of the table's row that begins so. */
async function rowOf(beginning) {
  const page = await readFile('docs/existing-app.md', 'utf8')
  const row = page.split('\n').find(line => line.startsWith(`| ${beginning}`))
  return row
    .split('|')
    .slice(2, 5)
    .map(cell => [...cell.matchAll(/\d+/g)].map(Number))
}

const codeAfter = (page, text) => /```js\n([^]*?)```/.exec(page.slice(page.indexOf(text)))[1]

async function prepare(manifest) {
  const app = await application(manifest)
  await app.command('npm', 'install', '--no-audit', '--no-fund', packed.tarball)
  await app.command('npx', 'toolgate', 'init')
  const counted = app.commands.length
  await app.command('npx', 'toolgate', 'new', 'greet', '--js')
  const tools = await readdir(path.join(app.folder, 'tools'), { recursive: true })
  const own = tools.filter(file => /^(count_words|greet)\/(?!.*\.test\.)/.test(file))
  expect(own.sort()).toEqual(['count_words/tool.js', 'greet/tool.js'])
  await app.command('npm', 'run', 'build:tools')
  return { ...app, counted }
}

test('any program: two commands, no file besides the tools, four lines', async () => {
  const { folder, counted } = await prepare({})
  expect(await filesBesideTools(folder)).toEqual([])
  const page = await readFile('docs/existing-app.md', 'utf8')
  const glue = codeAfter(page, 'The four lines').replace(/^import \{ toAgentTools \}.*\n/m, '')
  const call = "const answer = await session.execute({ name: 'count_words', args: { text: 'one two' } })\n"
  await writeFile(path.join(folder, 'main.mjs'), `${glue}${call}console.log(JSON.stringify(answer.ok))\n`)
  const { stdout } = await run(process.execPath, ['main.mjs'], { cwd: folder })
  expect(stdout).toBe('true\n')
  const lines = linesOf(glue + call)
  expect(await rowOf('any other program')).toEqual([[counted], [0], [lines]])
  expect(await rowOf('the AI SDK')).toEqual([[counted], [0], [linesOf(codeAfter(page, 'The four lines'))]])
  expect([counted <= GOALS.commands, lines <= GOALS.glueLines]).toEqual([true, true])
})

test('Next.js: two commands, and the files of its page', async () => {
  const { folder, counted } = await prepare({ dependencies: { next: 'npm:is-number@7.0.0' } }) // a small package under its name
  const config = await readFile(path.join(folder, 'next.config.mjs'), 'utf8')
  expect(await filesBesideTools(folder)).toEqual(['next.config.mjs'])
  const { 'app/api/tools/[tool]/route.ts': _, ...files } = filesOfPage('docs/next.md')
  const own = Object.entries(files).filter(([name]) => name !== 'next.config.mjs')
  const lines = linesOf(config) + own.reduce((sum, [, text]) => sum + linesOf(text), 0)
  expect(await rowOf('Next.js')).toEqual([[counted], [own.length + 1], [lines]])
})

test('a voice server: one file, beside that of the login', async () => {
  const { 'server.mjs': text } = filesOfPage('docs/voice.md')
  expect(await rowOf('a voice server')).toEqual([[2], [1], [linesOf(text)]])
})
