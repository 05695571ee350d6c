// Consent through an MCP client: the user is asked by it, and the token never leaves the server.
import { ProtocolError } from '@modelcontextprotocol/client'

import { eventually, gateway, openGate } from '../support/gate.mjs'
import { attached, envelopeOf } from './support.mjs'

const YES = { action: 'accept', content: {} }
const NO = { action: 'decline' }

/** A tool that asks first; `ran` has the arguments of each run. */
async function opened(fields = {}) {
  const ran = []
  const execute = ({ args }) => {
    ran.push(args)
    return { ok: true, data: args }
  }
  const gate = await openGate({
    order: {
      kind: 'write',
      requiresConfirmation: true,
      properties: { what: { type: 'string' } },
      confirmation: { preview: 'Order {what}' },
      execute,
      ...fields,
    },
  })
  return { ...gate, ran }
}
const order = (client, what = 'tea', options) => client.callTool({ name: 'order', arguments: { what } }, options)

/** The SDK's client overhears that request 0 is taken back; the server's next one has another number. */
const afterNumberZero = ({ server }) => server.ping()

/** No frame in either direction may hold a token: it would be the model's to give. */
const expectNoToken = ({ frames, sent }) => expect(JSON.stringify([frames, sent])).not.toMatch(/tgc_|"token"/)

test("a yes runs what was shown, once; the result is the run's", async () => {
  const { registry, ran, lines } = await opened()
  const questions = []
  const user = await attached(registry, { elicit: question => (questions.push(question), YES) })
  const result = await order(user.client)
  expect(questions).toEqual([
    {
      mode: 'form',
      message: 'Order tea\n\nwhat: tea',
      requestedSchema: { type: 'object', properties: { what: { type: 'string', default: 'tea' } } },
    },
  ])
  expect(result.isError).toBeUndefined()
  expect(envelopeOf(result)).toMatchObject({ ok: true, data: { what: 'tea' } })
  expect(ran).toEqual([{ what: 'tea' }])
  await eventually(() => lines.some(({ event }) => event === 'confirmation_granted'), 'an audit line')
  expectNoToken(user)
})

test('the user sees each argument, with a template and without one', async () => {
  const properties = { to: { type: 'string' }, what: { type: 'string' } }
  const messages = []
  for (const preview of ['Order {what:3}', undefined]) {
    const { registry } = await opened({ title: 'Order', properties, confirmation: preview && { preview } })
    const { client } = await attached(registry, { elicit: ({ message }) => (messages.push(message), NO) })
    await client.callTool({ name: 'order', arguments: { what: `tea${'!'.repeat(300)}`, to: 'Ada\nBob' } })
  }
  const table = `to: Ada\\nBob\nwhat: tea${'!'.repeat(197)}… (303 characters)`
  expect(messages).toEqual([`Order tea…\n\n${table}`, `Order\n${table}`])
})

test('a no runs nothing, is audited, and is told to the model as final', async () => {
  const { registry, ran, lines } = await opened()
  const user = await attached(registry, { elicit: () => NO })
  const result = await order(user.client)
  expect(result.isError).toBe(true)
  expect(envelopeOf(result).error).toEqual({
    type: 'CANCELLED',
    message: 'the user declined `order`: it has not run',
    retryable: false,
    partialSideEffects: false,
    details: { outcome: 'declined' },
    suggestion: 'do not call it again unless the user asks for it',
  })
  expect(ran).toEqual([])
  await eventually(
    () => lines.some(({ event, reason }) => event === 'confirmation_denied' && reason === 'declined'),
    'an audit line',
  )
  expectNoToken(user)
})

test.each([
  ['closes the question', () => ({ action: 'cancel' }), /closed the question/],
  [
    'has a client that fails',
    () => {
      throw new ProtocolError(-32603, 'no window')
    },
    /did not answer/,
  ],
  ['has a client that answers nonsense', () => ({ action: 'maybe' }), /did not answer/],
])('a user who %s runs nothing, and is asked again', async (_what, answer, suggestion) => {
  const { registry, ran } = await opened()
  let asked = 0
  const user = await attached(registry, { elicit: () => (++asked === 1 ? answer() : YES) })
  const first = await order(user.client)
  expect(first.isError).toBe(true)
  expect(envelopeOf(first).error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    suggestion: expect.stringMatching(suggestion),
  })
  expect(ran).toEqual([])
  expect(envelopeOf(await order(user.client)).ok).toBe(true)
  expect([asked, ran.length]).toEqual([2, 1])
  expectNoToken(user)
})

test('a question is taken back when its time is over', async () => {
  const { registry, ran } = await opened({ confirmation: { preview: 'Order {what}', ttlMs: 1000 } })
  let taken
  const user = await attached(registry, {
    elicit: (_question, { signal }) => {
      taken = signal
      return new Promise(() => {})
    },
  })
  await afterNumberZero(user)
  expect(envelopeOf(await order(user.client)).error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    suggestion: expect.stringMatching(/did not answer/),
  })
  await eventually(() => taken?.aborted, 'a cancelled question')
  expect(ran).toEqual([])
})

test.each([
  ['nothing', {}],
  ['only pages', { elicitation: { url: {} } }],
])('a client that can show %s is told so, and nothing is asked', async (_what, capabilities) => {
  const { registry, ran } = await opened()
  const user = await attached(registry, { capabilities })
  const result = await order(user.client)
  expect(result.isError).toBe(true)
  const { error } = envelopeOf(result)
  expect(error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    confirmation_request: { preview: 'Order tea' },
    suggestion: expect.stringMatching(/can't be confirmed here/),
  })
  expect(user.frames.some(({ method }) => method === 'elicitation/create')).toBe(false)
  expect(ran).toEqual([])
  expectNoToken(user)
})

test('a model can not answer for its user', async () => {
  const { registry, ran } = await opened()
  const user = await attached(registry, { elicit: () => NO })
  for (const more of [{ approve: true }, { confirmationToken: 'tgc_x' }, { action: 'accept' }]) {
    const result = await user.client.callTool({ name: 'order', arguments: { what: 'tea', ...more } })
    expect(envelopeOf(result).error.type).toBe('VALIDATION')
  }
  await order(user.client)
  expect(ran).toEqual([])
})

test('equal calls at the same time are one question and one run', async () => {
  const { registry, ran } = await opened()
  const { open, passed } = gateway()
  let asked = 0
  const user = await attached(registry, {
    elicit: async () => {
      asked += 1
      await passed
      return YES
    },
  })
  const calls = [order(user.client), order(user.client), order(user.client)]
  await eventually(() => asked > 0, 'a question')
  open()
  const results = await Promise.all(calls)
  expect(results.map(result => envelopeOf(result).ok)).toEqual([true, true, true])
  expect([asked, ran.length]).toEqual([1, 1])
  expectNoToken(user)
})

test('a request that is taken back takes its question along; an equal call asks its own', async () => {
  const { registry, ran } = await opened()
  const { open, passed } = gateway()
  const asked = []
  const user = await attached(registry, {
    elicit: async (_question, { signal }) => {
      asked.push(signal)
      await (asked.length === 1 ? new Promise(() => {}) : passed)
      return YES
    },
  })
  await afterNumberZero(user)
  const stop = new AbortController()
  const first = order(user.client, 'tea', { signal: stop.signal })
  first.catch(() => {})
  await eventually(() => asked.length === 1, 'a question')
  const second = order(user.client)
  await user.client.ping()
  stop.abort()
  await eventually(() => asked[0].aborted && asked.length === 2, 'a second question')
  expect(ran).toEqual([])
  open()
  expect(envelopeOf(await second).ok).toBe(true)
  expect(ran).toHaveLength(1)
})

test('while a user thinks, the client is told that the call goes on', async () => {
  const { registry } = await opened()
  const { open, passed } = gateway()
  let signs = 0
  const user = await attached(registry, {
    options: { heartbeatMs: 5 },
    elicit: async () => {
      await passed
      return YES
    },
  })
  const call = order(user.client, 'tea', {
    onprogress: () => {
      signs += 1
    },
  })
  await eventually(() => signs > 2, 'signs of life')
  open()
  expect(envelopeOf(await call).ok).toBe(true)
})

test('what is confirmed can still be cancelled', async () => {
  const { open, passed } = gateway()
  let started = 0
  const { registry } = await opened({
    execute: async () => {
      started += 1
      await passed
      return { ok: true }
    },
  })
  const user = await attached(registry, { elicit: () => YES })
  const stop = new AbortController()
  const call = order(user.client, 'tea', { signal: stop.signal })
  await eventually(() => started === 1, 'a start')
  stop.abort()
  await expect(call).rejects.toThrow()
  await eventually(() => registry.getMetrics().order?.text.cancellations === 1, 'a cancellation')
  open()
})

describe('an equal call under another request id', () => {
  const REFUSED = { type: 'CONFLICT', details: { reason: 'duplicate', outcome: 'committed' } }

  test('is asked about by a client with elicitation, and runs again after a yes', async () => {
    const { registry, ran } = await opened({ requiresConfirmation: false, duplicate: { key: ['/what'] } })
    const messages = []
    const user = await attached(registry, { elicit: ({ message }) => (messages.push(message), YES) })
    await order(user.client)
    expect(envelopeOf(await order(user.client))).toMatchObject({ ok: true })
    expect(messages).toEqual([
      expect.stringMatching(/^Already done at .*: Order, what: tea\. Do it again\? Order tea/u),
    ])
    expect(ran).toHaveLength(2)
    expectNoToken(user)
  })

  test('is refused where the client can not ask', async () => {
    const { registry, ran } = await opened({ requiresConfirmation: false, duplicate: { key: ['/what'] } })
    const user = await attached(registry, { capabilities: {} })
    await order(user.client)
    expect(envelopeOf(await order(user.client)).error).toMatchObject(REFUSED)
    expect(ran).toHaveLength(1)
  })

  test('that was done while its user was asked is asked about anew', async () => {
    const properties = { what: { type: 'string' }, n: { type: 'number' } }
    const { registry, ran } = await opened({ properties, duplicate: { key: ['/what'] } })
    const messages = []
    const open = gateway()
    const user = await attached(registry, {
      elicit: async ({ message }) => {
        messages.push(message)
        if (message.startsWith('Order tea') && messages.length === 1) await open.passed
        return YES
      },
    })
    const call = n => user.client.callTool({ name: 'order', arguments: { what: 'tea', n } })
    const first = call(1)
    await eventually(() => messages.length === 1, 'a question')
    await call(2)
    open.open()
    expect(envelopeOf(await first)).toMatchObject({ ok: true, data: { n: 1 } })
    expect(messages.map(message => message.split(' ')[0])).toEqual(['Order', 'Order', 'Already'])
    expect(ran.map(({ n }) => n)).toEqual([2, 1])
    expectNoToken(user)
  })
})

test('where approvers decide, the user of the client is not asked', async () => {
  const confirmation = { preview: 'Order {what}', approvers: { roles: ['manager'] } }
  const { registry, ran, session: open } = await opened({ confirmation })
  const questions = []
  const session = await open({ sessionId: 'shared', principal: 'ada' })
  const user = await attached(registry, {
    elicit: question => (questions.push(question), YES),
    options: { session: { sessionId: 'shared', principal: 'ada' } },
  })
  const { error } = envelopeOf(await order(user.client))
  expect([error.type, error.confirmation_request.approvers]).toEqual([
    'CONFIRMATION_REQUIRED',
    { roles: ['manager'], count: 1 },
  ])
  expect([questions, ran]).toEqual([[], []])
  const [{ token }] = await session.listPending()
  const done = await session.confirm(token, { approver: { principal: 'cyd', roles: ['manager'] } })
  expect([done.ok, ran]).toEqual([true, [{ what: 'tea' }]])
  expectNoToken(user)
})
