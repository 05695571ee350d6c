// What an operator reads of confirmations: who agreed to what, and in which way, without any text of it.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import { toolgate } from '../support/command.mjs'
import { openGate } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const PAY = {
  sideEffects: 'writes',
  idempotent: false,
  category: 'action',
  requiresConfirmation: true,
  properties: { to: { type: 'string' }, cents: { type: 'integer' }, note: { type: 'string', default: '–' } },
}
const HASH = /^[0-9a-f]{32}$/

async function payments() {
  const store = path.join(temporaryFolder(), 'sessions.sqlite')
  const gate = await openGate({ pay: { ...PAY, execute: () => ({ ok: true }) } }, { store: { file: store } })
  const session = await gate.session({ sessionId: 's1', principal: 'user-17' })
  const ask = async (id, cents) => {
    const { error } = await session.execute({ id, name: 'pay', args: { cents, to: 'DE89 3704' } })
    return error.confirmation_request
  }
  const line = event => gate.lines.findLast(line => line.event === event)
  return { ...gate, store, session, ask, line }
}

/** The hashes that the command prints of texts, with the key of a store. */
async function hashesOf(store, texts) {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(folder, name), text)
  const words = ['audit', 'hash', ...Object.keys(texts), '--store', store]
  const { code, stdout, stderr } = await toolgate(words, { cwd: folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

test('the answer with changed arguments names them, and its hashes are of what runs', async () => {
  const { store, session, ask, line } = await payments()
  const { token, args } = await ask('call_0000001', 4900)
  const ran = { ...args, cents: 4800 }
  expect((await session.confirm(token, { args: ran })).ok).toBe(true)
  const { edited, finalArgsHash } = line('confirmation_granted')
  expect(edited).toEqual(['/cents'])
  expect(await hashesOf(store, { 'args.json': JSON.stringify(ran) })).toContain(
    `finalArgsHash ${finalArgsHash}  args.json`,
  )
})

test('the lines of a confirmation say what was shown, who agreed, and in which way', async () => {
  const { store, session, ask, line } = await payments()
  const { token, preview, args } = await ask('call_0000001', 4900)
  const shown = {
    idempotencyKey: expect.stringMatching(/^tg_/),
    finalArgsHash: expect.stringMatching(HASH),
    previewHash: expect.stringMatching(HASH),
  }
  expect(line('confirmation_requested')).toMatchObject({ ...shown, callId: 'call_0000001' })
  expect((await session.confirm(token, { via: 'page' })).ok).toBe(true)
  const asked = line('confirmation_requested')
  const { idempotencyKey, finalArgsHash, previewHash } = asked
  expect(line('confirmation_granted')).toMatchObject({
    ...{ idempotencyKey, finalArgsHash, previewHash },
    via: 'page',
    principal: 'user-17',
    callId: 'call_0000001',
  })
  expect(line('tool_execution')).toMatchObject({ idempotencyKey, ok: true })

  const printed = await hashesOf(store, { 'preview.txt': preview, 'args.json': JSON.stringify(args) })
  expect(printed).toContain(`previewHash ${previewHash}  preview.txt`)
  expect(printed).toContain(`finalArgsHash ${finalArgsHash}  args.json`)
  const others = await hashesOf(store, {
    'preview.txt': `${preview} `,
    'args.json': JSON.stringify({ ...args, cents: 4901 }),
  })
  expect(others).not.toContain(previewHash)
  expect(others).not.toContain(finalArgsHash)
})

test('equal texts have equal hashes, others have others', async () => {
  const { ask, lines } = await payments()
  for (const [id, cents] of [
    ['call_0000001', 1],
    ['call_0000002', 2],
    ['call_0000003', 2],
  ])
    await ask(id, cents)
  const of = name => lines.filter(({ event }) => event === 'confirmation_requested').map(line => line[name])
  for (const name of ['previewHash', 'finalArgsHash']) {
    const [one, two, again] = of(name)
    expect(two).toBe(again)
    expect(one).not.toBe(two)
  }
})

test('a denial says it too, and without a way or principal nothing is made up', async () => {
  const { registry, session, ask, line } = await payments()
  const { token } = await ask('call_0000001', 1)
  await session.deny(token, 'too much', { via: 'speech' })
  expect(line('confirmation_denied')).toMatchObject({
    ...{ reason: 'too much', via: 'speech', principal: 'user-17', callId: 'call_0000001' },
    previewHash: line('confirmation_requested').previewHash,
  })
  await ask('call_0000002', 2)
  await session.deny('call_0000002', null, { via: 'link' })
  await ask('call_0000004', 4)
  await session.deny('call_0000004', `${'x'.repeat(999)}\u{1f600} and more`)
  expect(line('confirmation_denied').reason).toBe(`${'x'.repeat(999)}\ufffd`)
  await ask('call_0000005', 5)
  await session.deny('call_0000005', null, { via: 'link' })
  expect(line('confirmation_denied')).toMatchObject({ via: 'link', callId: 'call_0000005' })
  expect(line('confirmation_denied')).not.toHaveProperty('reason')

  const nobody = await registry.createSession({ mode: 'text' })
  const asked = await nobody.execute({ id: 'call_0000003', name: 'pay', args: { cents: 3 } })
  await nobody.confirm({ id: 'call_0000003', name: 'pay', args: { cents: 3 } })
  expect(asked.error.type).toBe('CONFIRMATION_REQUIRED')
  expect(line('confirmation_granted')).not.toHaveProperty('via')
  expect(line('confirmation_granted')).not.toHaveProperty('principal')
})

test('options that are no object are refused', async () => {
  const { session, ask } = await payments()
  const { token } = await ask('call_0000001', 1)
  for (const act of [() => session.confirm(token, 'page'), () => session.deny(token, 'no', 'page')])
    await expect(act()).rejects.toThrow('must be an object')
  expect(await session.listPending()).toHaveLength(1)
})

test.each([[''], ['x'.repeat(65)], [7], ['\ud800'], [{}]])('`via` %p is refused before anything runs', async via => {
  const { session, ask } = await payments()
  const { token } = await ask('call_0000001', 1)
  for (const act of [
    () => session.confirm(token, { via }),
    () => session.deny(token, 'no', { via }),
    () => session.deny('call_0000001', 'no', { via }),
    () => session.confirm({ id: 'call_0000001', name: 'pay', args: { cents: 1, to: 'DE89 3704' } }, { via }),
  ])
    await expect(act()).rejects.toThrow('`via` must be a text of 1 to 64 characters')
  expect(await session.listPending()).toHaveLength(1)
})
