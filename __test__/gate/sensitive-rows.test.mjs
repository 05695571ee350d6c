// No row of a store keeps a sensitive value, but that of an open question: not of calls that run in the background, may run again, or
// are reconciled, and not after any of their ends.
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

import { eventually, gateway, openGate } from '../support/gate.mjs'
import { delivered } from '../support/results.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const properties = { plain: { type: 'string' }, secret: { type: 'string', 'x-sensitive': true } }
const RECONCILED = `export async function execute() {
  return { ok: false, error: { type: 'TRANSIENT', message: 'no', retryable: false, partialSideEffects: true } }
}
export async function reconcile() { return { outcome: 'unknown' } }
`

async function onFile() {
  const folder = temporaryFolder()
  const running = gateway()
  const execute = async () => (await running.passed, { ok: true, data: 'done' })
  const idempotent = { category: 'action', sideEffects: 'writes', idempotent: true }
  const { registry, session: open } = await openGate(
    {
      read: { kind: 'read', background: true, properties, execute },
      put: { ...idempotent, background: { afterMs: 5 }, properties, execute },
      send: { kind: 'write', background: true, properties, execute },
      refund: { kind: 'write', properties, source: RECONCILED },
      pay: { kind: 'write', requiresConfirmation: true, lintAccepted: ['sensitive-confirmation'], properties, execute },
    },
    { store: { file: path.join(folder, 'sessions.sqlite') } },
  )
  const session = await open({ sessionId: 'rows', principal: 'ada' })
  await session.beginTurn('1')
  const bytes = () => {
    const names = readdirSync(folder).filter(name => name.startsWith('sessions.sqlite'))
    return names.map(name => readFileSync(path.join(folder, name), 'latin1')).join('')
  }
  const call = name =>
    session.execute({ id: `call_${name}_0001`, name, args: { plain: 'PLAIN', secret: `CANARY-${name}` } })
  return { registry, session, running, bytes, call }
}

test('calls that run in the background, and calls of uncertain outcome, keep no secret', async () => {
  const { session, running, bytes, call } = await onFile()
  const stop = new AbortController()
  const results = (async () => {
    for await (const result of session.results({ signal: stop.signal })) await result.accept(result.response)
  })()
  for (const name of ['read', 'put', 'send', 'refund']) {
    await call(name)
    expect(bytes()).not.toContain(`CANARY-${name}`)
  }
  running.open()
  await eventually(async () => (await session.backgroundCalls()).length === 0, 'all results are delivered')
  stop.abort()
  await results
  expect(await delivered(session)).toEqual([])
  expect(bytes()).not.toContain('CANARY')
})

test('an open question holds them until it is answered', async () => {
  const { session, running, bytes, call } = await onFile()
  running.open()
  const { token } = (await call('pay')).error.confirmation_request
  expect(bytes()).toContain('CANARY-pay')
  await session.deny(token)
  await eventually(() => !bytes().includes('CANARY-pay'), 'the denied question leaves nothing')
  const again = (await call('pay')).error.confirmation_request.token
  expect((await session.confirm(again)).ok).toBe(true)
  await eventually(() => !bytes().includes('CANARY-pay'), 'nor does the confirmed one')
})
