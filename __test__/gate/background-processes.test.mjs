// Background calls of a process that is killed: a write is delivered as unknown, or as what its tool finds out, a read runs again,
// and a call that was left is completed by another process.
import path from 'node:path'

import { createRegistry, success } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { afterTest, temporaryFolder, toolSet } from '../support/tool-set.mjs'

const hanging = 'export const execute = () => new Promise(resolve => setTimeout(resolve, 60_000))\n'
const TOOLS = {
  send: { kind: 'write', background: true, timeoutMs: false, source: hanging },
  look: { kind: 'read', background: true, timeoutMs: false, source: hanging },
  job: {
    kind: 'write',
    timeoutMs: false,
    source: `export const execute = async context => {
      const token = await context.completionToken()
      console.log('token ' + token)
      return context.services.pending({ token })
    }\n`,
  },
}
const calls = [
  { id: 'call_send_0001', name: 'send', args: {} },
  { id: 'call_look_0001', name: 'look', args: {} },
  { id: 'call_job_00001', name: 'job', args: {} },
]

/** Makes the calls in a process that kills itself once all are answered early. Returns what it printed. */
async function killedProcess(artifact, store, calls) {
  const source = `
    import { createRegistry, pending } from ${JSON.stringify(PACKAGE)}
    const options = { artifact: ${JSON.stringify(artifact)}, store: ${JSON.stringify(store)}, services: { pending } }
    const registry = await createRegistry(options).load()
    const session = await registry.createSession({ mode: 'text', sessionId: 'kept' })
    for await (const _ of session.results({ wait: false }));
    for (const call of ${JSON.stringify(calls)}) console.log(JSON.stringify(await session.execute(call)))
    process.kill(process.pid, 'SIGKILL')
  `
  const ran = await runModule(source)
  expect(ran).toMatchObject({ code: null, signal: 'SIGKILL', stderr: '' })
  return ran.stdout.trim().split('\n')
}

test('each call of a killed process is told once, and nothing that writes runs again', async () => {
  const { artifact } = await toolSet(TOOLS)
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const printed = await killedProcess(artifact, store, calls)
  const answers = printed.filter(line => line.startsWith('{')).map(line => JSON.parse(line))
  expect(answers).toHaveLength(3)
  for (const answer of answers) expect(answer).toMatchObject({ ok: true, data: { status: 'running' } })
  const token = printed.find(line => line.startsWith('token ')).slice('token '.length)

  const runs = []
  const handlers = Object.fromEntries(
    Object.keys(TOOLS).map(name => [name, () => (runs.push(name), success(`${name} again`))]),
  )
  const registry = await createRegistry({ artifact, store, handlers }).load()
  afterTest(() => registry.close())
  const session = await registry.createSession({ mode: 'text', sessionId: 'kept' })
  const told = {}
  for await (const result of session.results()) {
    expect(told).not.toHaveProperty(result.toolId)
    told[result.toolId] = result.response
    expect(await result.accept()).toBe(true)
    if (Object.keys(told).length === 2) expect(await registry.complete(token, success('paid'))).toBe('completed')
    if (Object.keys(told).length === 3) break
  }
  expect(told).toMatchObject({
    send: { ok: false, error: { type: 'CONFLICT', details: { outcome: 'unknown' } } },
    look: { ok: true, data: 'look again' },
    job: { ok: true, data: 'paid', meta: { callId: 'call_job_00001' } },
  })
  expect(runs).toEqual(['look'])
  expect(await session.backgroundCalls()).toEqual([])
})

test('what a write of a killed process has done is found out before its delivery', async () => {
  const reconciled = `${hanging}export const reconcile = () => ({ outcome: 'unknown' })\n`
  const names = ['paid', 'unpaid', 'silent']
  const tool = { ...TOOLS.send, source: reconciled, properties: { to: { type: 'string' } } }
  const { artifact } = await toolSet(Object.fromEntries(names.map(name => [name, tool])))
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  await killedProcess(
    artifact,
    store,
    names.map(name => ({ id: `call_${name}_0001`, name, args: { to: name } })),
  )
  const outcomes = {
    paid: ({ args, idempotencyKey }) => ({ outcome: 'happened', data: { ...args, idempotencyKey } }),
    unpaid: () => ({ outcome: 'not_happened' }),
    silent: () => Promise.reject(new Error('the service is down')),
  }
  const asked = []
  const handlerOf = name => ({
    execute: () => Promise.reject(new Error('it ran again')),
    reconcile: context => (asked.push(name), outcomes[name](context)),
  })
  const handlers = Object.fromEntries(names.map(name => [name, handlerOf(name)]))
  const lines = []
  const registry = await createRegistry({
    artifact,
    store,
    handlers,
    audit: line => lines.push(JSON.parse(line)),
    onLog: () => {},
    onHandlerError: () => {},
  }).load()
  afterTest(() => registry.close())
  const session = await registry.createSession({ mode: 'text', sessionId: 'kept' })
  const told = {}
  for await (const result of session.results()) {
    expect(told).not.toHaveProperty(result.toolId)
    told[result.toolId] = result.response
    expect(await result.accept()).toBe(true)
    if (Object.keys(told).length === names.length) break
  }
  const idempotencyKey = expect.stringMatching(/^tg_/)
  expect(told).toMatchObject({
    paid: {
      ok: true,
      data: { to: 'paid', idempotencyKey },
      meta: { reconciled: 'happened', callId: 'call_paid_0001' },
    },
    unpaid: { ok: false, error: { type: 'TRANSIENT' }, meta: { reconciled: 'not_happened' } },
    silent: { ok: false, error: { type: 'CONFLICT', details: { outcome: 'unknown' } } },
  })
  expect([asked.sort(), await session.backgroundCalls()]).toEqual([[...names].sort(), []])
  const found = lines.filter(({ event }) => event === 'reconciled').map(({ toolId, outcome }) => [toolId, outcome])
  expect(found.sort()).toEqual([
    ['paid', 'happened'],
    ['silent', 'unknown'],
    ['unpaid', 'not_happened'],
  ])
  expect(lines.filter(({ metBy }) => metBy !== undefined && metBy !== 'delivery')).toEqual([])
})
