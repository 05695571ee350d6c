// The core's own warnings, and what a registry says of its health.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

import { createRegistry } from '../../index.js'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const linux = process.platform === 'linux' ? test : test.skip

let artifact
beforeEach(async () => {
  ;({ artifact } = await toolSet({ echo: {} }))
})

/** Runs a program in a process of its own: the core limits the warnings of a process, so earlier tests could hide one. */
function runProgram(program) {
  const index = JSON.stringify(path.resolve('index.js'))
  const head = `
    const { createRegistry } = require(${index})
    const artifact = ${JSON.stringify(artifact)}
    const audit = { file: '/dev/full' } // a disk that is always full`
  return spawnSync(process.execPath, ['-e', `${head}\n${program}`], { encoding: 'utf8', timeout: 120_000 })
}

linux('a failing audit file is reported once, counted, and makes the registry unhealthy', () => {
  const { stdout, stderr } = runProgram(`
    const warnings = []
    const registry = createRegistry({ artifact, audit, onLog: warning => void warnings.push(warning) })
    const until = async isTrue => {
      while (!(await isTrue())) await new Promise(resolve => setTimeout(resolve, 10))
    }
    registry.load().then(async () => {
      const session = await registry.createSession({ mode: 'text' })
      for (let call = 0; call < 3; call++) await session.execute({ name: 'echo', args: {} })
      await until(async () => (await registry.health()).audit.lost >= 3)
      await until(() => warnings.length > 0)
      const health = await registry.health()
      await registry.close()
      console.log(JSON.stringify({ health, warnings }))
    })`)
  expect(stderr).toBe('')
  const { health, warnings } = JSON.parse(stdout)
  expect(health).toMatchObject({ ok: false, closing: false, storeError: null, audit: { failing: true } })
  const ours = warnings.filter(({ message }) => message.includes('audit lines cannot be written'))
  expect(ours).toHaveLength(1)
  expect(ours[0]).toMatchObject({ level: 'error', lost: '1', error: expect.stringContaining('No space left') })
  expect(ours[0].at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

linux('without a listener a warning is one JSON line on standard error', () => {
  const { stderr, status } = runProgram(`
    const registry = createRegistry({ artifact, audit })
    registry.load().then(() => registry.close())`)
  expect(status).toBe(0)
  const lines = stderr.split('\n').filter(line => line.startsWith('{'))
  expect(lines.map(line => JSON.parse(line).message)).toContain('audit lines cannot be written and are lost')
})

test('a registry is healthy while it works, and not before or after', async () => {
  const registry = createRegistry({ artifact })
  const unhealthy = {
    ok: false,
    closing: false,
    storeError: null,
    audit: { failing: false, lost: 0 },
    owed: { oldestAgeMs: null },
  }
  expect(await registry.health()).toEqual(unhealthy)
  await registry.load()
  const owed = { oldestAgeMs: 0 }
  expect(await registry.health()).toEqual({ ...unhealthy, ok: true, owed })
  await registry.close()
  expect(await registry.health()).toEqual({ ...unhealthy, closing: true, owed })
})

test('`onLog` must be a function', async () => {
  await expect(createRegistry({ artifact, onLog: 'stderr' }).load()).rejects.toThrow('`onLog` must be a function')
})

test('a file store that cannot be used any more is warned of', () => {
  const file = path.join(temporaryFolder(), 'sessions.sqlite')
  const { stdout, stderr } = runProgram(`
    const warnings = []
    const store = { file: ${JSON.stringify(file)} }
    const registry = createRegistry({ artifact, store, onLog: warning => void warnings.push(warning) })
    registry.load().then(async () => {
      require('node:fs').rmSync(store.file)
      const refused = await registry.createSession({ mode: 'text' }).catch(({ message }) => message)
      await registry.close()
      console.log(JSON.stringify({ refused, warnings }))
    })`)
  expect(stderr).toBe('')
  const { refused, warnings } = JSON.parse(stdout)
  const reason = `the session store failed: \`${file}\` was replaced or deleted while it was in use`
  expect(refused).toContain(reason)
  expect(warnings).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'a call was refused', error: expect.stringContaining(reason) }),
  )
})
