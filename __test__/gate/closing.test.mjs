// The end of a registry, in processes of their own: what runs gets its time, what waits is answered, nothing keeps Node alive,
// and another copy of the package in the same process does not notice.
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { jest } from '@jest/globals'

import { PACKAGE, runModule } from '../support/child-process.mjs'
import { openGate } from '../support/gate.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const TOOLS = {
  slow: {
    kind: 'write',
    timeoutMs: false,
    source:
      'export const execute = () => new Promise(resolve => setTimeout(resolve, 50, { ok: true, data: "in time" }))\n',
  },
  never: {
    kind: 'read',
    timeoutMs: false,
    properties: { n: {} },
    source:
      'export const execute = ({ signal }) => { globalThis.signals = [...(globalThis.signals ?? []), signal]; return new Promise(() => {}) }\n',
  },
  hung: { kind: 'write', timeoutMs: false, source: 'export const execute = () => new Promise(() => {})\n' },
  again: {
    kind: 'read',
    timeoutMs: false,
    retry: { maxAttempts: 5, baseDelayMs: 60000 },
    source: 'export const execute = () => { throw Object.assign(new Error("x"), { code: "ECONNRESET" }) }\n',
  },
  parent: {
    kind: 'read',
    timeoutMs: false,
    source: 'export const execute = async ({ callTool }) => ({ ok: true, data: await callTool("never") })\n',
  },
  quick: { source: 'export const execute = () => ({ ok: true, data: "quick" })\n' },
}

async function program(body, { imported = PACKAGE, options = '' } = {}) {
  const { artifact } = await toolSet(TOOLS)
  const ran = await runModule(`
    import { createRegistry } from ${JSON.stringify(imported)}
    const artifact = ${JSON.stringify(artifact)}
    const open = async () => createRegistry({ artifact, onHandlerError() {}${options} }).load()
    const registry = await open()
    const session = await registry.createSession({ mode: 'text' })
    const told = answer => [answer.ok ? answer.data : answer.error.type, answer.error?.details?.outcome ?? null]
    const show = value => console.log(JSON.stringify(value))
    ${body}
  `)
  expect(ran).toMatchObject({ code: 0, stderr: '', overdue: false })
  return ran.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

test('what runs ends in its time, what comes is refused', async () => {
  expect(
    await program(`
    const running = session.execute({ name: 'slow' })
    await new Promise(resolve => setImmediate(resolve))
    const closing = registry.close()
    show(told(await session.execute({ name: 'quick' })))
    await closing
    show(told(await running))
    await session.execute({ name: 'quick' }).then(answer => show(told(answer)))
    await registry.createSession({ mode: 'text' }).catch(error => show(error.message))
  `),
  ).toEqual([['SESSION_INACTIVE', null], ['in time', null], ['SESSION_INACTIVE', null], 'the registry is closed'])
})

test('what does not end is stopped: handlers, those that wait for a slot, a retry, a caller, and a batch', async () => {
  expect(
    await program(
      `
    const calls = [session.execute({ name: 'never' }), session.execute({ name: 'never', args: { n: 1 } }), session.execute({ name: 'hung', id: 'call_hung_12' })]
    const batch = session.executeAll([{ name: 'again' }, { name: 'hung', id: 'call_hung_34' }, { name: 'quick' }])
    const parent = session.execute({ name: 'parent' })
    await session.execute({ name: 'invented' }) // calls are admitted in their order
    await registry.close({ timeoutMs: 0 })
    show((await Promise.all(calls)).map(told))
    show((await batch).map(told).map(([type]) => type))
    show(told(await parent))
    await new Promise(resolve => setImmediate(resolve))
    show(globalThis.signals.every(signal => signal.aborted))
  `,
      { options: ', limits: { sessionCalls: 3 }' },
    ),
  ).toEqual([
    [
      ['CANCELLED', 'aborted'],
      ['CANCELLED', 'aborted'],
      ['CANCELLED', 'unknown'],
    ],
    ['CANCELLED', 'SESSION_INACTIVE', 'SESSION_INACTIVE'],
    ['CANCELLED', 'aborted'],
    true,
  ])
})

test('closing twice, before a load, and after a reload with calls of both tool sets', async () => {
  expect(
    await program(`
    await createRegistry({ artifact }).close()
    const held = session.execute({ name: 'never' })
    await new Promise(resolve => setImmediate(resolve))
    await registry.reload()
    await Promise.all([registry.close({ timeoutMs: 0 }), registry.close({ timeoutMs: 0 })])
    show(told(await held))
    await registry.close()
    const next = await open()
    show(told(await (await next.createSession({ mode: 'text' })).execute({ name: 'quick' })))
  `),
  ).toEqual([
    ['CANCELLED', 'aborted'],
    ['quick', null],
  ])
})

test('another copy of the package, with an addon of its own, lives on', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const copy = path.join(temporaryFolder(), 'toolgate')
  mkdirSync(copy)
  for (const part of [
    'index.js',
    'native.js',
    'package.json',
    'js',
    'schemas',
    ...readdirSync(root).filter(name => name.endsWith('.node')),
  ]) {
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true })
  }
  expect(
    await program(`
    const other = (await import(${JSON.stringify(path.join(copy, 'index.js'))})).default
    const second = await other.createRegistry({ artifact }).load()
    const there = await second.createSession({ mode: 'text', sessionId: session.sessionId })
    const [here, beside] = [session.execute({ name: 'never' }), there.execute({ name: 'slow' })]
    await new Promise(resolve => setImmediate(resolve))
    await registry.close({ timeoutMs: 0 })
    show([told(await here), told(await beside), told(await there.execute({ name: 'quick' }))])
  `),
  ).toEqual([
    [
      ['CANCELLED', 'aborted'],
      ['in time', null],
      ['quick', null],
    ],
  ])
})

test('closing ends under the fake timers of a test', async () => {
  const { registry, session } = await openGate({ probe: { execute: () => ({ ok: true }) } })
  const open = await session()
  jest.useFakeTimers()
  try {
    expect(await open.execute({ name: 'probe', args: {} })).toMatchObject({ ok: true })
    await registry.close()
  } finally {
    jest.useRealTimers()
  }
})
