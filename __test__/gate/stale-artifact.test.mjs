// A built tool set that is older than a folder of its tools.
import { execFile } from 'node:child_process'
import { utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { buildTools, createRegistry } from '../../index.js'
import { project } from '../support/project.mjs'
import { afterTest, toolSet, writeTools } from '../support/tool-set.mjs'

const run = promisify(execFile)
const LATER = new Date(Date.now() + 60_000)
const EARLIER = new Date(Date.now() - 60_000)

/** What a registry says at its load of older tool sets. */
async function heard(artifact, options) {
  const lines = []
  const registry = createRegistry({
    artifact,
    environment: 'development',
    audit: 'none',
    onLog: line => lines.push(line),
    ...options,
  })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  return lines.filter(({ message }) => message.includes('older'))
}

test('a tool that was added or changed since is named, with the command', async () => {
  const { folder, artifact } = await toolSet({ one: {}, two: {} })
  expect(await heard(artifact)).toEqual([])
  writeTools(folder, { three: {} })
  for (const file of ['three/schema.json', 'two/handler.js']) utimesSync(path.join(folder, file), LATER, LATER)
  const [line, ...more] = await heard(artifact)
  expect(more).toEqual([])
  expect(line).toEqual({
    at: expect.any(String),
    level: 'warn',
    message: expect.stringContaining('npx toolgate build'),
    folders: ['three', 'two'].map(name => path.relative('', path.join(folder, name))).join('; '),
  })
  expect(await heard(artifact, { environment: 'production' })).toEqual([])
})

test('other files and folders do not count', async () => {
  const { folder, artifact } = await toolSet({ one: {} })
  writeTools(folder, { _shared: {}, '.draft': {} })
  writeFileSync(path.join(folder, 'one/tool.test.mjs'), '')
  for (const file of ['_shared/handler.js', '.draft/handler.js', 'one/tool.test.mjs'])
    utimesSync(path.join(folder, file), LATER, LATER)
  expect(await heard(artifact)).toEqual([])
})

test('the sources may be in another folder than the built set; it is said once in a process', async () => {
  const { home, tools } = project({ tools: { one: {} }, manifest: { toolgate: { tools: 'tools', out: 'dist' } } })
  const outDir = path.join(home, 'dist')
  expect((await buildTools({ toolsDir: tools, outDir })).ok).toBe(true)
  utimesSync(path.join(outDir, 'tool_registry.json'), EARLIER, EARLIER)
  const program = `const { createRegistry } = require('toolgate')
    const load = () => createRegistry({ audit: 'none' }).load().then(registry => registry.close())
    load().then(load)`
  const env = { ...process.env, NODE_ENV: 'development', NODE_OPTIONS: '' }
  const { stderr } = await run(process.execPath, ['-e', program], { cwd: home, env })
  const lines = stderr
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines).toEqual([expect.objectContaining({ level: 'warn', folders: path.join('tools', 'one') })])
})
