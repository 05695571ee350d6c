// Sessions in a file: two registries on one file stand for two processes, which share nothing else.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { eventually, openGate } from '../support/gate.mjs'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const WRITE = { sideEffects: 'writes', idempotent: false, category: 'action' }
const newFile = () => path.join(temporaryFolder(), 'sessions.sqlite')

/** Two registries over the same tools and one file. */
async function pair(tools, file = newFile()) {
  const options = { store: { file } }
  return { file, one: await openGate(tools, options), other: await openGate(tools, options) }
}

describe('a session in a file', () => {
  test('is found by another process with its turn, budget, record and state', async () => {
    let runs = 0
    const { one, other } = await pair({ send: { ...WRITE, execute: () => ({ ok: true, data: ++runs }) } })
    const policy = { totalCalls: 1 }
    const first = await one.session({ sessionId: 's', policy })
    await first.beginTurn('t1')
    await first.beginTurn('t2')
    const answer = await first.execute({ id: 'call_000001', name: 'send', args: {} })
    first.state.set('theme', 'dark')
    const second = await eventuallySession(
      other,
      { sessionId: 's', policy },
      session => session.state.get('theme') === 'dark',
    )
    expect(second.turn).toBe(2)
    const again = await second.execute({ id: 'call_000001', name: 'send', args: {} })
    expect([again.data, again.meta._idempotent_cache_hit]).toEqual([answer.data, true])
    const over = await second.execute({ id: 'call_000002', name: 'send', args: {} })
    expect(over.error.type).toBe('BUDGET_EXCEEDED')
    expect(runs).toBe(1)
  })

  test('hears at its next call what another process changed', async () => {
    const { one, other } = await pair({ look: { execute: () => ({ ok: true }) } })
    const [mine, yours] = [await one.session({ sessionId: 's' }), await other.session({ sessionId: 's' })]
    expect(mine.state.applyIntent({ type: 'SUPPRESS_AUDIO', value: true })).toBe(true)
    yours.state.set('mine', 'too')
    await eventually(async () => {
      await yours.execute({ name: 'look', args: { n: Math.random() } })
      return yours.state.get('shouldSuppressAudio') === true
    }, 'the change is heard')
    expect(yours.state.get('mine')).toBe('too')
    expect((await (await other.session({ sessionId: 's' })).state.getSnapshot()).mine).toBe('too')
  })

  test('is asked in one process and answered in another', async () => {
    let runs = 0
    const pay = { ...WRITE, requiresConfirmation: true, execute: () => ({ ok: true, data: ++runs }) }
    const { one, other } = await pair({ pay })
    const asked = await (await one.session({ sessionId: 's' })).execute({ id: 'call_000001', name: 'pay', args: {} })
    const page = await other.session({ sessionId: 's' })
    const [pending] = await page.listPending()
    expect(pending.token).toBe(asked.error.confirmation_request.token)
    expect(await page.confirm(pending.token)).toMatchObject({ ok: true, data: 1 })
    const used = await (await one.session({ sessionId: 's' })).confirm(pending.token)
    expect(used.error).toMatchObject({
      type: 'CONFIRMATION_EXPIRED',
      details: { reason: 'used', outcome: 'committed' },
    })
    expect(runs).toBe(1)
  })

  test('ended in one process takes no calls in another', async () => {
    const { one, other } = await pair({ look: { execute: () => ({ ok: true }) } })
    const [mine, yours] = [await one.session({ sessionId: 's' }), await other.session({ sessionId: 's' })]
    await mine.end('bye')
    expect((await yours.execute({ name: 'look', args: {} })).error.type).toBe('SESSION_INACTIVE')
    await expect(other.session({ sessionId: 's' })).rejects.toMatchObject({ type: 'SESSION_INACTIVE' })
  })

  test('belongs to its principal in every process', async () => {
    const { one, other } = await pair({ look: { execute: () => ({ ok: true }) } })
    await one.session({ sessionId: 's', principal: 'alice' })
    await expect(other.session({ sessionId: 's', principal: 'bob' })).rejects.toMatchObject({ type: 'AUTH' })
  })

  test('survives its process, which ends by itself', async () => {
    const { artifact } = await toolSet({ look: {} })
    const file = newFile()
    const source = `
      import { createRegistry } from ${JSON.stringify(PACKAGE)}
      const registry = createRegistry({ artifact: ${JSON.stringify(artifact)}, handlers: { look: () => ({ ok: true, data: process.pid }) }, store: { file: ${JSON.stringify(file)} } })
      await registry.load()
      const session = await registry.createSession({ sessionId: 's', mode: 'text' })
      console.log(JSON.stringify(await session.execute({ id: 'call_000001', name: 'look', args: {} })))
    `
    const answers = []
    for (const _process of [1, 2]) {
      const { code, stdout, stderr } = await runModule(source)
      expect([code, stderr]).toEqual([0, ''])
      answers.push(JSON.parse(stdout))
    }
    expect(answers[1].data).toBe(answers[0].data)
    expect(answers.map(answer => answer.meta._idempotent_cache_hit)).toEqual([undefined, true])
  })
})

describe('the file', () => {
  test("is its owner's alone, with all that stands beside it", async () => {
    const { file, one } = await pair({ look: { execute: () => ({ ok: true }) } })
    await one.session({ sessionId: 's' })
    const folder = path.dirname(file)
    const modes = readdirSync(folder).map(name => [name, statSync(path.join(folder, name)).mode & 0o777])
    expect(Object.fromEntries(modes)).toEqual({
      'sessions.sqlite': 0o600,
      'sessions.sqlite-wal': 0o600,
      'sessions.sqlite-shm': 0o600,
      'sessions.sqlite-queue': 0o600,
      'sessions.sqlite-turn': 0o600,
    })
  })

  test('with wider permissions is corrected, with a warning', async () => {
    const file = newFile()
    writeFileSync(file, '')
    chmodSync(file, 0o644)
    const log = []
    const gate = await openGate(
      { look: { execute: () => ({ ok: true }) } },
      { store: { file }, onLog: entry => log.push(entry) },
    )
    await gate.session()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await eventually(() => log.some(entry => entry.file === file && entry.mode === '0644'), 'it is reported')
    expect(log.map(entry => entry.message)).toContain(
      'the session file was accessible to other users; its mode is 0600 now',
    )
  })

  test('is missed without a call once it is deleted, and no write runs any more', async () => {
    const file = newFile()
    const log = []
    let runs = 0
    const gate = await openGate(
      { send: { ...WRITE, execute: () => ({ ok: true, data: ++runs }) } },
      { store: { file }, onLog: entry => log.push(entry) },
    )
    const session = await gate.session({ sessionId: 's' })
    expect(await session.execute({ id: 'call_000001', name: 'send', args: {} })).toMatchObject({ ok: true })
    rmSync(file)
    await eventually(
      () => log.some(entry => entry.level === 'error' && /replaced or deleted/.test(entry.message)),
      'it is reported',
    )
    expect(await session.execute({ id: 'call_000002', name: 'send', args: {} })).toMatchObject({
      ok: false,
      error: { type: 'TRANSIENT' },
    })
    expect(runs).toBe(1)
    expect(existsSync(file)).toBe(false)
  })

  test.each([
    ['is a directory', file => mkdirSync(file), /is a directory; name a file/],
    ['is a symbolic link', file => symlinkSync('elsewhere.sqlite', file), /is a symbolic link; name the file itself/],
    ['is no database', file => writeFileSync(file, 'hello '.repeat(1000)), /is not a store: it is no SQLite file/],
    ['stands in no directory', file => path.join(file, 'deeper', 'x.sqlite'), /there is no directory/],
  ])('that %s is told by the load', async (_what, prepare, message) => {
    const file = newFile()
    const place = prepare(file) ?? file
    await expect(
      openGate({ look: { execute: () => ({ ok: true }) } }, { store: { file: place } }),
    ).rejects.toMatchObject({ code: 'STORE_REFUSED', message: expect.stringMatching(message) })
  })
})

/** A session in another process is as new as what was stored when it was made. */
async function eventuallySession(gate, options, isSo) {
  let session
  await eventually(async () => {
    session = await gate.session(options)
    return isSo(session)
  }, 'the session is as it should be')
  return session
}
