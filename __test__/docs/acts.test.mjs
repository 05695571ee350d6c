// docs/acts.md: its `reconcile` answers for a payment service, and its search of the host finds the call.
import { openGate } from '../support/gate.mjs'
import { blockWith } from '../support/page.mjs'

const PAGE = 'docs/acts.md'
const { reconcile } = await import(`data:text/javascript,${encodeURIComponent(blockWith(PAGE, 'function reconcile'))}`)
const search = blockWith(PAGE, 'registry.reconcile(')

/** A tool whose answers are lost, after the service has the refund if it `arrives`. */
async function refunds(arrives) {
  const paid = new Map()
  const services = { payments: { findRefund: ({ idempotencyKey }) => paid.get(idempotencyKey) ?? null } }
  const execute = ({ args, meta }) => {
    if (arrives) paid.set(meta.idempotencyKey, { id: `r-${paid.size + 1}`, amount: args.amount })
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  }
  const refund = { kind: 'write', properties: { amount: { type: 'number' } }, requires: ['payments'] }
  const { registry, session } = await openGate({ refund }, { handlers: { refund: { execute, reconcile } }, services })
  const open = await session()
  const call = { id: 'call_refund_0001', name: 'refund', args: { amount: 5 } }
  await open.execute(call)
  return { registry, again: () => open.execute(call) }
}

test('a replay gets what the service has', async () => {
  const { again } = await refunds(true)
  expect(await again()).toMatchObject({
    ok: true,
    data: { refund_id: 'r-1', amount: 5 },
    meta: { reconciled: 'happened' },
  })
})

test('the host finds the call that never arrived', async () => {
  const { registry } = await refunds(false)
  const AsyncFunction = (async () => {}).constructor
  const program = new AsyncFunction(
    'registry',
    `${search.replace('60_000', '0')}\nreturn { happened, notHappened, unknown, more }`,
  )
  expect(await program(registry)).toEqual({ happened: 0, notHappened: 1, unknown: 0, more: false })
})
