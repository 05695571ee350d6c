// The services that a session's tools get, for a host that works with the same ones.
import { openGate } from '../support/gate.mjs'

const tools = { look: { execute: async () => ({ ok: true }) } }

test('those of the registry and of the session, which go first', async () => {
  const [shared, own, kb] = [{}, {}, {}]
  const { registry } = await openGate(tools, { services: { vision: shared, kb } })
  const session = await registry.createSession({ mode: 'text', services: { vision: own } })
  expect(session.services.toSorted()).toEqual(['kb', 'vision'])
  expect(session.service('vision')).toBe(own)
  expect(session.service('kb')).toBe(kb)
  for (const name of ['registry', 'toString', 'other']) expect(session.service(name)).toBeUndefined()
  await session.end()
})
