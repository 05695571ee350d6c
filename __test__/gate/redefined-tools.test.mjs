// A tool that was built anew between a question and its answer, without another version: what runs is what was shown.
import path from 'node:path'

import { openGate } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const TRANSFER = {
  sideEffects: 'writes',
  idempotent: false,
  category: 'action',
  requiresConfirmation: true,
  allowedModes: ['text', 'voice'],
  confirmation: { preview: 'Send {amount} to {to}' },
  properties: { to: { type: 'string' }, amount: { type: 'integer', maximum: 1000 } },
  required: ['to', 'amount'],
}
const CALL = { id: 'call_0000001', name: 'transfer', args: { to: 'Ada', amount: 900 } }

/** Asks under one definition, closes, and opens the store under another one. */
async function redeployed(change, { base = {}, args = {}, asking, confirming } = {}) {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const before = await openGate({ transfer: { ...TRANSFER, ...base, execute: () => ({ ok: true }) } }, { store })
  const first = await before.session({ sessionId: 's', timeZone: asking })
  const asked = await first.execute({ ...CALL, args: { ...CALL.args, ...args } })
  expect(asked.error.type).toBe('CONFIRMATION_REQUIRED')
  await before.registry.close()
  const ran = []
  const execute = ({ args }) => {
    ran.push(args)
    return { ok: true }
  }
  const gate = await openGate({ transfer: { ...TRANSFER, ...change, execute } }, { store, environment: 'production' })
  const session = await gate.session({ sessionId: 's', timeZone: confirming })
  return { session, token: asked.error.confirmation_request.token, ran, lines: gate.lines }
}

const changed = (properties, more = {}) => ({ properties: { ...TRANSFER.properties, ...properties }, ...more })

test.each(
  [
    [
      'a stricter schema',
      changed({ amount: { type: 'integer', maximum: 500 } }),
      /has changed since it was asked.*500/,
    ],
    ['another type', changed({ to: { type: 'integer' } }), /has changed since it was asked/],
    ['a new required argument', changed({ iban: { type: 'string' } }, { required: ['to', 'amount', 'iban'] }), /iban/],
    ['a new default', changed({ urgent: { type: 'boolean', default: true } }), /other arguments than were shown/],
    ['a clamp', { clamp: { text: { amount: 100 } } }, /other arguments than were shown/],
    ['another preview', { confirmation: { preview: 'Pay {to} {amount}' } }, /shown another text/],
    [
      'a rule over times',
      changed({ to: { type: 'string', format: 'date-time' } }, { timeRules: { notPast: ['to'] } }),
      /changed/,
    ],
  ].flatMap(([what, ...change]) => ['token', 'call'].map(by => [what, by, ...change])),
)('%s expires the question, and says why, by its %s', async (_, by, change, why) => {
  const { session, token, ran, lines } = await redeployed(change)
  const { ok, error } = await (by === 'token' ? session.confirm(token) : session.confirm(CALL))
  expect([ok, error.type, error.details.reason]).toEqual([false, 'CONFIRMATION_EXPIRED', 'definition'])
  expect(error.message).toMatch(why)
  expect(await session.listPending()).toEqual([])
  expect((await session.confirm(token)).error.details.reason).toBe('expired')
  expect(ran).toEqual([])
  expect(lines.filter(({ event }) => event === 'confirmation_expired')).toHaveLength(2)
  for (const { message = '' } of lines) expect(message).not.toContain('Ada')
})

test.each([
  ['a clearer description', { description: 'Moves money between accounts of the same bank.' }],
  ['a new optional argument', changed({ note: { type: 'string' } })],
  ['a looser schema', changed({ amount: { type: 'integer', maximum: 5000 } })],
  ['a clamp of another mode', { clamp: { voice: { amount: 100 } } }],
  ['nothing', {}],
])('%s leaves the question as it was: the call runs as it was shown', async (_, change) => {
  const { session, token, ran } = await redeployed(change)
  expect(await session.confirm(token)).toMatchObject({ ok: true })
  expect(ran).toEqual([CALL.args])
})

test.each([
  ['Europe/Berlin', 'Asia/Tokyo'],
  ['Europe/Berlin', undefined],
  [undefined, 'Asia/Tokyo'],
])('a preview of local times is made for who was asked (%p), whoever confirms (%p)', async (asking, confirming) => {
  const LOCAL = {
    ...changed({ at: { type: 'string', format: 'date-time' } }),
    confirmation: { preview: 'At {at:local}' },
  }
  const zones = { base: LOCAL, args: { at: '2030-01-01T10:00:00Z' }, asking, confirming }
  const { session, token, ran } = await redeployed({ ...LOCAL, description: 'Moves money.' }, zones)
  expect(await session.confirm(token)).toMatchObject({ ok: true })
  expect(ran).toHaveLength(1)
})

test('the model asks anew, and its new question is the only one', async () => {
  const { session, token, ran } = await redeployed(
    changed({ note: { type: 'string' } }, { confirmation: { preview: 'Pay {to}' } }),
  )
  expect((await session.confirm(token)).error.type).toBe('CONFIRMATION_EXPIRED')
  const asked = await session.execute({ ...CALL, id: 'call_0000002' })
  expect(asked.error.confirmation_request.preview).toBe('Pay Ada')
  const pending = await session.listPending()
  expect(pending.map(({ preview }) => preview)).toEqual(['Pay Ada'])
  expect((await session.confirm(pending[0].token)).ok).toBe(true)
  expect((await session.confirm(token)).error.details.reason).toBe('expired')
  expect(ran).toHaveLength(1)
})
