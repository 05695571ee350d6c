// The tool set that a registry loads by default: the project's own, from the working directory upwards.
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const require = createRequire(import.meta.url)
const { findProjectArtifact } = require('../../js/tool-sets/project-artifact.js')
const { shippedTools } = require('../../index.js')
const run = promisify(execFile)
let folder
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'toolgate-project-artifact-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function put(name, text = '{}') {
  const file = path.join(folder, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

test('the nearest folder `tools` from the working directory upwards', async () => {
  const file = await put('tools/tool_registry.json')
  await put('app/deep/package.json')
  expect(findProjectArtifact(path.join(folder, 'app/deep'))).toBe(file)
  const nearer = await put('app/tools/tool_registry.json')
  expect(findProjectArtifact(path.join(folder, 'app/deep'))).toBe(nearer)
})

test.each([
  ['out', { out: 'dist' }, 'dist'],
  ['tools', { tools: 'agent/tools' }, 'agent/tools'],
  ['neither', { modes: ['kiosk'] }, 'tools'],
])('package.json names it: %s', async (_, toolgate, place) => {
  await put('package.json', JSON.stringify({ toolgate }))
  const file = await put(`${place}/tool_registry.json`)
  await put('src/index.js')
  expect(findProjectArtifact(path.join(folder, 'src'))).toBe(file)
})

test('without one, all places that were searched are named, and what to do', async () => {
  await put('package.json', '{ "toolgate": { "out": "dist" } }')
  const expected = {
    code: 'ARTIFACT_MISSING',
    message: expect.stringContaining(path.join(folder, 'dist/tool_registry.json')),
  }
  expect(() => findProjectArtifact(folder)).toThrow(expect.objectContaining(expected))
  expect(() => findProjectArtifact(folder)).toThrow(/toolgate build[^]*bundler[^]*shippedTools/)
})

test('a wrong configuration is named', async () => {
  await put('package.json', '{ "toolgate": { "outt": "dist" } }')
  expect(() => findProjectArtifact(folder)).toThrow(/unknown field `toolgate.outt`/)
})

test('the process-wide registry loads `shippedTools` where no project is, and says so', async () => {
  const program = `const { toolRegistry } = require(${JSON.stringify(require.resolve('../../index.js'))})
    toolRegistry.load().then(() => process.stdout.write(toolRegistry.getVersion()))`
  const { stdout, stderr } = await run(process.execPath, ['-e', program], { cwd: folder })
  expect(stdout).toBe(JSON.parse(await readFile(shippedTools, 'utf8')).version)
  expect(JSON.parse(stderr.split('\n')[0])).toEqual({
    at: expect.any(String),
    level: 'warn',
    message: expect.stringContaining('toolgate build'),
    searched: expect.stringContaining(path.join(folder, 'tools/tool_registry.json')),
  })
})
