// The core's own warnings, and what a registry says of its health.
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { createRegistry } from '../../index.js'
import { toolSet } from '../support/tool-set.mjs'

const linux = process.platform === 'linux' ? test : test.skip

let artifact
beforeEach(async () => {
  ;({ artifact } = await toolSet({ echo: {} }))
})

/** A registry whose audit file is always full, with what it warns of. */
async function withFullDisk(options = {}) {
  const warnings = []
  const registry = createRegistry({
    artifact,
    audit: { file: '/dev/full' },
    onLog: warning => void warnings.push(warning),
    ...options,
  })
  await registry.load()
  return { registry, warnings }
}

const until = async isTrue => {
  for (let turn = 0; turn < 500 && !(await isTrue()); turn++) await new Promise(resolve => setTimeout(resolve, 10))
}

linux('a failing audit file is reported once, counted, and makes the registry unhealthy', async () => {
  const { registry, warnings } = await withFullDisk()
  const session = await registry.createSession({ mode: 'text' })
  for (let call = 0; call < 3; call++) await session.execute({ name: 'echo', args: {} })
  await until(async () => (await registry.health()).audit.lost >= 3)
  const { ok, closing, storeError, audit } = await registry.health()
  expect({ ok, closing, storeError, failing: audit.failing }).toEqual({
    ok: false,
    closing: false,
    storeError: null,
    failing: true,
  })
  await until(() => warnings.length > 0)
  const ours = warnings.filter(({ message }) => message.includes('audit lines cannot be written'))
  expect(ours).toHaveLength(1)
  expect(ours[0]).toMatchObject({ level: 'error', lost: '1', error: expect.stringContaining('No space left') })
  expect(ours[0].at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  await registry.close()
})

linux('without a listener a warning is one JSON line on standard error', () => {
  const index = path.resolve('index.js')
  const program = `
    const { createRegistry } = require(${JSON.stringify(index)})
    const registry = createRegistry({ artifact: ${JSON.stringify(artifact)}, audit: { file: '/dev/full' } })
    registry.load().then(() => registry.close())`
  const { stderr, status } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' })
  expect(status).toBe(0)
  const lines = stderr.split('\n').filter(line => line.startsWith('{'))
  expect(lines.map(line => JSON.parse(line).message)).toContain('audit lines cannot be written and are lost')
})

test('a registry is healthy while it works, and not before or after', async () => {
  const registry = createRegistry({ artifact })
  const unhealthy = { ok: false, closing: false, storeError: null, audit: { failing: false, lost: 0 } }
  expect(await registry.health()).toEqual(unhealthy)
  await registry.load()
  expect(await registry.health()).toEqual({ ...unhealthy, ok: true })
  await registry.close()
  expect(await registry.health()).toEqual({ ...unhealthy, closing: true })
})

test('`onLog` must be a function', async () => {
  await expect(createRegistry({ artifact, onLog: 'stderr' }).load()).rejects.toThrow('`onLog` must be a function')
})

test('a file store that cannot be opened is warned of, without its arguments', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-'))
  const { registry, warnings } = await withFullDisk({ audit: 'none', store: { file: folder } })
  await expect(registry.createSession({ mode: 'text' })).rejects.toThrow()
  await registry.close()
  expect(JSON.stringify(warnings)).not.toContain('echo')
})
