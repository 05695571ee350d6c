// The README's code runs, and prints what its comments say.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
let folder

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'toolgate-readme-'))
  await mkdir(path.join(folder, 'node_modules'))
  await symlink(root, path.join(folder, 'node_modules', 'toolgate'), 'dir')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the example runs as it stands', async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8')
  const [, code] = /```js\n([^]*?)```/.exec(readme)
  const file = path.join(folder, 'example.js')
  await writeFile(file, code)
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 30_000 })
  const printed = stdout.split('\n').filter(line => line !== '' && !line.startsWith('{'))
  expect(printed).toEqual(['true 1', 'true'])
  expect(stdout).toMatch(/"event":"tool_replayed"/)
})

test('an existing tool is brought in as it says', async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8')
  const [, code] = /```js\n(const { compileTool }[^]*?)```/.exec(readme)
  const file = path.join(folder, 'existing.js')
  await writeFile(file, code)
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 30_000 })
  const said = [...code.matchAll(/(?<=^|\s)\/\/ (.*)$/gm)].map(([, comment]) => comment)
  expect(stdout.trimEnd().split('\n')).toEqual(said)
})
