// What the package says if it can't run: each in a process of its own, from a copy of the package.
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import toolgate from '../../index.js'
import { runNode } from '../support/command.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))

/** A copy of the package with the loader of the addon replaced; `native` is its text. */
function copied(native) {
  const home = temporaryFolder()
  for (const name of ['index.js', 'js', 'package.json', 'native.js'])
    cpSync(path.join(ROOT, name), path.join(home, name), { recursive: true })
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(home, 'node_modules'), 'dir')
  if (native !== undefined) writeFileSync(path.join(home, 'native.js'), native)
  return home
}
const REAL = JSON.stringify(path.join(ROOT, 'native.js'))
const LOAD =
  "try { require('./index.js'); console.log('loaded') } catch (error) { console.log(error.code, error.message) }"

async function loaded(home, program = LOAD) {
  writeFileSync(path.join(home, 'load.cjs'), program)
  const { stdout, stderr } = await runNode(['load.cjs'], { cwd: home })
  return stdout.trim() || stderr
}

test('without an addon the message names the package to install', async () => {
  const home = copied()
  expect(await loaded(home)).toMatch(
    /^TOOLGATE_INSTALLATION toolgate can't be loaded: the package `toolgate-\S+` is not installed; install it: `npm install toolgate-\S+`;/,
  )
})

test('an addon of another version is refused', async () => {
  const home = copied(`module.exports = { ...require(${REAL}), addonVersion: () => '9.9.9' }\n`)
  expect(await loaded(home)).toContain(
    `TOOLGATE_INSTALLATION toolgate can't be loaded: the addon has version 9.9.9, the package ${version}; install`,
  )
})

test('an old Node is named first', async () => {
  const home = copied(`module.exports = require(${REAL})\n`)
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } })\n${LOAD}`
  expect(await loaded(home, old)).toBe(
    "TOOLGATE_INSTALLATION toolgate can't be loaded: Node 18.20.0 is too old; install Node 20 or later",
  )
})

test('two versions in one process are warned of, two copies of one are not', async () => {
  const native = `module.exports = { ...require(${REAL}), addonVersion: () => require('./package.json').version }\n`
  const [first, second] = [copied(native), copied(native)]
  const program = `process.on('warning', ({ code, message }) => console.log(code, message))
require('./index.js')
require(${JSON.stringify(path.join(second, 'index.js'))})
setImmediate(() => console.log('loaded'))\n`
  expect(await loaded(first, program)).toBe('loaded')
  const manifest = path.join(second, 'package.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(`"version": "${version}"`, '"version": "9.9.9"'))
  expect((await loaded(first, program)).split('\n')).toEqual([
    `TOOLGATE_TWO_VERSIONS toolgate 9.9.9 (${second}) and ${version} (${first}) are loaded in one process, and share no registry; install one version, see \`npm ls toolgate\``,
    'loaded',
  ])
})

test('a tool set of another version says how it is built again', async () => {
  const artifact = path.join(temporaryFolder(), 'tool_registry.json')
  const text = readFileSync(toolgate.shippedTools, 'utf8')
  writeFileSync(artifact, text.replace('"artifactVersion":1', '"artifactVersion":99'))
  await expect(toolgate.createRegistry({ artifact }).load()).rejects.toMatchObject({
    message: expect.stringContaining('has artifact version 99'),
  })
  rmSync(artifact)
  await expect(toolgate.createRegistry({ artifact }).load()).rejects.toMatchObject({ code: 'ARTIFACT_MISSING' })
})

test('a folder that takes no file is a finding', async () => {
  const home = temporaryFolder()
  // A file in the place of the folder: also root can't write into it.
  writeFileSync(path.join(home, 'out'), '')
  const { ok, diagnostics } = await toolgate.buildTools({
    toolsDir: path.dirname(toolgate.shippedTools),
    outDir: path.join(home, 'out'),
  })
  expect([ok, diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)]).toEqual([
    false,
    ['write-failed'],
  ])
})
