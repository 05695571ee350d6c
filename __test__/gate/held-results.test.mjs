// Results that are held until they are accepted, also where a call is answered directly: each is delivered once, whatever becomes of the
// attachment, or the process, that made the call.
import path from 'node:path'

import { createRegistry, failure, success, toModelResponse } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { gateway, openGate } from '../support/gate.mjs'
import { delivered, next } from '../support/results.mjs'
import { afterTest, temporaryFolder, toolSet } from '../support/tool-set.mjs'

const send = { id: 'call_send_0001', name: 'send', args: {} }
const kept = { sessionId: 'kept', holdResults: 'writes' }

describe('the result of a write that is answered directly', () => {
  test('is offered to none while it is held, nor once it is accepted', async () => {
    const { session, lines } = await openGate({ send: { kind: 'write', execute: () => success('sent') } })
    const [first, second] = [await session(kept), await session(kept)]
    expect(await first.execute(send)).toMatchObject({ ok: true, data: 'sent' })
    expect(await delivered(second)).toEqual([])
    expect(await first.backgroundCalls()).toEqual([])
    expect(second.heldResult(send.id)).toBeNull()
    const held = first.heldResult(send.id)
    expect([await held.accept(), await held.accept(), first.heldResult(send.id)]).toEqual([true, false, null])
    await first.detach()
    expect(await delivered(second)).toEqual([])
    expect(lines.filter(({ event }) => event === 'result_delivered')).toEqual([])
  })

  test.each([
    ['a success', () => success('sent'), { ok: true, data: 'sent' }],
    [
      'a failure',
      () => failure('TRANSIENT', 'later', { retryable: true }),
      { ok: false, error: { type: 'TRANSIENT' } },
    ],
  ])('is offered once its attachment has left: %s', async (_, execute, expected) => {
    const { session } = await openGate({ send: { kind: 'write', execute } })
    const [first, second] = [await session(kept), await session(kept)]
    await first.execute(send)
    const held = first.heldResult(send.id)
    await first.detach()
    const result = await next(second)
    expect(result).toMatchObject({ callId: send.id, toolId: 'send', response: expected })
    expect([await held.accept(), await second.heldResult(send.id).accept()]).toEqual([false, true])
    expect(await delivered(second)).toEqual([])
  })

  test('is not accepted by an answer that does not say what became of it', async () => {
    const running = gateway()
    const begun = gateway()
    const execute = async () => (begun.open(), await running.passed, success('sent'))
    const { session } = await openGate({ send: { kind: 'write', execute } })
    const [first, second] = [await session(kept), await session(kept)]
    const cancelled = first.execute(send)
    await begun.passed
    first.cancel(send.id)
    const told = await cancelled
    expect(told.error).toMatchObject({ type: 'CANCELLED', details: { outcome: 'unknown' } })
    const held = first.heldResult(send.id)
    for (const meta of ['full', 'lean']) expect(await held.accept(toModelResponse(told, { meta }))).toBe(false)
    for (const none of [null, {}, 'sent', { ok: false }])
      await expect(held.accept(none)).rejects.toThrow('`accept` takes the answer that was handed over')
    running.open()
    await first.detach()
    const result = await next(second)
    expect(result.response).toMatchObject({ ok: true, data: 'sent' })
    const [pending, timedOut] = [{ pending: true }, {}]
    for (const answer of [
      { ok: true, data: { status: 'running' }, intents: [], meta: pending },
      // As its model gets it.
      { ok: true, data: { status: 'running', callId: send.id } },
      { ok: false, error: { type: 'CONFIRMATION_REQUIRED' }, intents: [], meta: timedOut },
      {
        ok: false,
        error: { type: 'TRANSIENT', details: { reason: 'timeout' }, partialSideEffects: true },
        intents: [],
        meta: timedOut,
      },
    ])
      expect(await result.accept(answer)).toBe(false)
    expect(await result.accept(result.response)).toBe(true)
    expect(await delivered(second)).toEqual([])
  })

  test('comes to another attachment if its own leaves while it runs', async () => {
    const running = gateway()
    const begun = gateway()
    const execute = async () => (begun.open(), await running.passed, success('sent'))
    const { session } = await openGate({ send: { kind: 'write', execute } })
    const [first, second] = [await session(kept), await session(kept)]
    const answer = first.execute(send)
    await begun.passed
    await first.detach()
    const result = next(second)
    running.open()
    expect(await answer).toMatchObject({ ok: true })
    expect((await result).response).toMatchObject({ ok: true, data: 'sent' })
    expect(await (await result).accept()).toBe(true)
  })

  test('is not held where it is not asked for, and nothing but a write is', async () => {
    const tools = {
      send: { kind: 'write', execute: () => success('sent') },
      look: { kind: 'read', execute: () => success('seen') },
      put: { kind: 'write', idempotent: true, execute: () => success('put') },
      ask: { kind: 'write', requiresConfirmation: true, execute: () => success('done') },
    }
    const { session } = await openGate(tools)
    const plain = await session({ sessionId: 'kept' })
    await plain.execute(send)
    expect(plain.heldResult(send.id)).toBeNull()
    const holding = await session(kept)
    for (const name of ['look', 'put', 'ask']) {
      const id = `call_${name}_000001`
      await holding.execute({ id, name, args: {} })
      expect(holding.heldResult(id)).toBeNull()
    }
    await holding.execute({ name: 'send', args: {} })
    await holding.detach()
    expect(await delivered(plain)).toEqual([])
  })

  test('of a call that is answered early is a result like any other', async () => {
    const running = gateway()
    const execute = async () => (await running.passed, success('sent'))
    const { session } = await openGate({ send: { kind: 'write', background: true, execute } })
    const holding = await session(kept)
    expect(await delivered(holding)).toEqual([])
    expect(await holding.execute(send)).toMatchObject({ meta: { pending: true } })
    expect(holding.heldResult(send.id)).toBeNull()
    running.open()
    expect(await (await next(holding)).accept()).toBe(true)
  })

  test('is held for the attachment that confirms the call, and offered if that leaves', async () => {
    const properties = { to: { type: 'string' } }
    const ask = { kind: 'write', requiresConfirmation: true, properties, execute: () => success('done') }
    const { session } = await openGate({ ask })
    const [first, second, plain] = [await session(kept), await session(kept), await session({ sessionId: 'kept' })]
    const confirmed = async (asking, id) => {
      const answer = await first.execute({ id, name: 'ask', args: { to: id } })
      return asking.confirm(answer.error.confirmation_request.token)
    }
    expect(await confirmed(first, 'call_ask_000001')).toMatchObject({
      ok: true,
      meta: { callId: 'call_ask_000001' },
    })
    expect(await first.heldResult('call_ask_000001').accept()).toBe(true)
    await confirmed(plain, 'call_ask_000002')
    await confirmed(first, 'call_ask_000003')
    await first.detach()
    const offered = await next(second)
    expect(offered).toMatchObject({ callId: 'call_ask_000003', response: { ok: true, data: 'done' } })
    expect([await offered.accept(), await delivered(second)]).toEqual([true, []])
  })

  test.each([
    ['another attachment takes it', true],
    ['its own attachment has it', false],
  ])(
    'has not been heard of until it is accepted: an equal call of a later turn asks its user (%s)',
    async (_, leaves) => {
      const ran = []
      const execute = ({ meta }) => success(ran.push(meta.callId))
      const { session } = await openGate({ send: { kind: 'write', duplicate: { scope: 'turn' }, execute } })
      const first = await session(kept)
      await first.beginTurn('u-1')
      await first.execute(send)
      if (leaves) await first.detach()
      const now = leaves ? await session(kept) : first
      const held = leaves ? await next(now) : now.heldResult(send.id)
      await now.beginTurn('u-2')
      const equal = { ...send, id: 'call_send_0002' }
      expect((await now.execute(equal)).error).toMatchObject({ type: 'CONFIRMATION_REQUIRED' })
      await held.accept()
      await now.beginTurn('u-3')
      expect(await now.execute({ ...send, id: 'call_send_0003' })).toMatchObject({ ok: true })
      expect(ran).toEqual([send.id, 'call_send_0003'])
    },
  )

  test('is asked for by a known word', async () => {
    const { session } = await openGate({ send: { kind: 'write' } })
    await expect(session({ holdResults: true })).rejects.toThrow('`holdResults` must be `writes`')
  })
})

/** A process that makes the call and is killed at the place: its handler runs, or it has the answer. */
async function killedAt(place, artifact, store) {
  const source = `
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    const die = () => process.kill(process.pid, 'SIGKILL')
    const handlers = { send: () => (${place === 'run'} ? (die(), new Promise(() => {})) : { ok: true, data: 'sent' }) }
    const registry = await createRegistry({ artifact: ${JSON.stringify(artifact)}, store: ${JSON.stringify(store)}, handlers }).load()
    const session = await registry.createSession({ mode: 'text', ...${JSON.stringify(kept)} })
    await session.execute(${JSON.stringify(send)})
    if (${place === 'accepted'}) await session.heldResult(${JSON.stringify(send.id)}).accept()
    die()
  `
  expect(await runModule(source)).toMatchObject({ code: null, signal: 'SIGKILL', stderr: '' })
}

test.each([
  ['run', [{ ok: false, error: { type: 'CONFLICT', details: { outcome: 'unknown' } } }]],
  ['answered', [{ ok: true, data: 'sent' }]],
  ['accepted', []],
])('a process that is killed at `%s` leaves what its model may not have', async (place, expected) => {
  const { artifact } = await toolSet({ send: { kind: 'write' } })
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  await killedAt(place, artifact, store)
  const runs = []
  const handlers = { send: () => (runs.push('send'), success('again')) }
  const registry = await createRegistry({ artifact, store, handlers }).load()
  afterTest(() => registry.close())
  const session = await registry.createSession({ mode: 'text', ...kept })
  expect(await delivered(session)).toMatchObject(expected)
  expect(await delivered(session)).toEqual([])
  // The order that is given again finds what the first came to.
  const [outcome = { ok: true, data: 'sent' }] = expected
  expect(await session.execute(send)).toMatchObject(outcome)
  expect(runs).toEqual([])
})

/** Where the attachment of a write leaves → how often it has handed the answer over by then. */
const PLACES = { begun: 0, ran: 0, answered: 0, handed: 1, accepted: 1 }

describe.each(Object.entries(PLACES))('an attachment that leaves once its write has `%s`', (place, handed) => {
  const cut = async (leaves, tells) => {
    const [begun, ran] = [gateway(), gateway()]
    const runs = []
    const execute = async () => (runs.push('send'), begun.open(), await ran.passed, success('sent'))
    const { session } = await openGate({ send: { kind: 'write', execute } })
    const told = []
    const first = await session(kept)
    const answer = first.execute(send)
    await begun.passed
    if (place === 'begun') await leaves(first)
    ran.open()
    if (place === 'ran') await leaves(first)
    const response = await answer
    if (place === 'answered') await leaves(first)
    if (handed > 0) told.push(response)
    if (place === 'handed') await leaves(first)
    if (place === 'accepted') await first.heldResult(send.id).accept(response)
    if (place === 'accepted') await leaves(first)
    for (const attachment of [await session(kept), await session(kept)]) told.push(...(await tells(attachment)))
    expect(await (await session(kept)).execute(send)).toMatchObject({ ok: true, data: 'sent' })
    expect(runs).toEqual(['send'])
    return told
  }

  test('is told of it by the next one that takes results: never lost, and twice only between the hand-over and its note', async () => {
    const told = await cut(first => first.detach(), delivered)
    expect(told).toHaveLength(place === 'handed' ? 2 : 1)
    for (const response of told) expect(response).toMatchObject({ ok: true, data: 'sent' })
  })

  test('owes it to the next one also if one took it and let it go', async () => {
    let refusals = 1
    const told = await cut(
      first => first.detach(),
      async attachment => {
        if (refusals-- > 0) {
          for await (const result of attachment.results({ wait: false })) {
            await result.release()
            break
          }
          return []
        }
        return delivered(attachment)
      },
    )
    expect(told).toHaveLength(place === 'handed' ? 2 : 1)
  })
})
