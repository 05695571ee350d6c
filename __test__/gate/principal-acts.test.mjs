// The acts of a principal are kept where no host and no page can name them, and are erased with the principal.
import path from 'node:path'
import { createHash } from 'node:crypto'

import { eraseSessions, listSessions } from '../../index.js'
import { openGate } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const REFUND = {
  kind: 'write',
  properties: { order: { type: 'string' } },
  duplicate: { key: ['/order'], scope: 'principal', windowMs: 3_600_000, on: 'refuse' },
}
const sha256 = text => createHash('sha256').update(text).digest('hex')

async function refunding(options = {}) {
  let runs = 0
  const gate = await openGate({ refund: { ...REFUND, execute: () => ({ ok: true, data: (runs += 1) }) } }, options)
  const refund = async (sessionId, principal, id) => {
    const session = await gate.session({ sessionId, principal })
    return session.execute({ id, name: 'refund', args: { order: 'A' } })
  }
  return { ...gate, refund, runs: () => runs }
}

test.each([
  ['memory', () => ({})],
  ['a file', () => ({ store: { file: path.join(temporaryFolder(), 'sessions.sqlite') } })],
])('nobody attaches to a session that the gate keeps for itself: %s', async (_where, optionsOf) => {
  const { session, refund, runs, lines } = await refunding(optionsOf())
  expect((await refund('one', 'alice', 'call_refund_0001')).ok).toBe(true)
  for (const sessionId of [
    `acts-of-principal:${sha256('alice')}`,
    'toolgate:acts:0123',
    'toolgate:',
    'toolgate:#probe',
  ]) {
    for (const principal of [undefined, 'alice', 'mallory'])
      await expect(session({ sessionId, principal })).rejects.toMatchObject({ type: 'AUTH' })
  }
  expect(lines.filter(({ event }) => event === 'session_refused')).not.toEqual([])
  expect((await refund('two', 'alice', 'call_refund_0002')).error.details.reason).toBe('duplicate')
  expect((await refund('three', 'mallory', 'call_refund_0003')).ok).toBe(true)
  expect(runs()).toBe(2)
})

test('its name does not say whose they are, and erasing the principal erases them', async () => {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const { registry, refund } = await refunding({ store })
  await refund('one', 'alice', 'call_refund_0001')
  await registry.close()
  const { sessions } = await listSessions(store, { principal: 'alice' })
  const ids = sessions.map(({ id }) => id).sort()
  expect(ids).toEqual(['one', expect.stringMatching(/^toolgate:acts:[0-9a-f]{32}$/)])
  expect(ids.join()).not.toContain(sha256('alice').slice(0, 16))
  await eraseSessions(store, { principal: 'alice' })
  expect((await listSessions(store, { principal: 'alice' })).sessions).toEqual([])
  const again = await refunding({ store })
  expect((await again.refund('two', 'alice', 'call_refund_0002')).ok).toBe(true)
})
