// A handler's own call that asks, through an MCP client: the client's user answers one that waits, and no other.
import { eventually, gateway, openGate } from '../support/gate.mjs'
import { attached, envelopeOf } from './support.mjs'

const YES = { action: 'accept', content: {} }
const NO = { action: 'decline' }

/** No frame in either direction may hold a token: it would be the model's to give. */
const expectNoToken = ({ frames, sent }) => expect(JSON.stringify([frames, sent])).not.toMatch(/tgc_|"token"/)

describe("a handler's call that waits for its user", () => {
  test.each([
    ['accepted', YES, [true, true], ['tea']],
    ['declined', NO, ['CANCELLED', 'CANCELLED'], []],
    ['dismissed', { action: 'cancel' }, ['CANCELLED', 'CANCELLED'], []],
  ])('two equal ones share one form, which is %s', async (_name, form, outcomes, orders) => {
    const bothAsked = gateway()
    let asked = 0
    const ran = []
    const order = callTool => callTool('order', { what: 'tea' }, { confirmation: 'wait' })
    const { registry, lines } = await openGate({
      order: {
        kind: 'write',
        requiresConfirmation: true,
        properties: { what: { type: 'string' } },
        execute: ({ args }) => (ran.push(args.what), { ok: true, data: args.what }),
      },
      outer: {
        execute: async ({ callTool }) => ({ ok: true, data: await Promise.all([order(callTool), order(callTool)]) }),
      },
    })
    const user = await attached(registry, {
      elicit: async () => {
        asked += 1
        await bothAsked.passed
        return form
      },
    })
    const answer = user.client.callTool({ name: 'outer' })
    const isAsked = ({ errorType }) => errorType === 'CONFIRMATION_REQUIRED'
    await eventually(() => lines.filter(isAsked).length === 2, 'both calls wait')
    bothAsked.open()
    const { data } = envelopeOf(await answer)
    expect(data.map(({ ok, error }) => (ok ? true : error.type))).toEqual(outcomes)
    expect([asked, ran]).toEqual([1, orders])
    expectNoToken(user)
  })

  async function nested(options, own = {}) {
    const { registry, ran } = await (async () => {
      const made = []
      const gate = await openGate({
        order: {
          kind: 'write',
          requiresConfirmation: true,
          properties: { what: { type: 'string' } },
          execute: ({ args }) => (made.push(args.what), { ok: true, data: args.what }),
        },
        outer: {
          ...own,
          execute: async ({ callTool }) => ({
            ok: true,
            data: await callTool('order', { what: 'tea' }, { confirmation: 'wait' }),
          }),
        },
      })
      return { ...gate, ran: made }
    })()
    const user = await attached(registry, options)
    const { data } = envelopeOf(await user.client.callTool({ name: 'outer' }))
    expectNoToken(user)
    return { data, ran }
  }

  test.each([
    ['a call that ran unasked', {}, 1],
    ['a call that was asked about itself', { kind: 'write', requiresConfirmation: true }, 2],
  ])('of %s: a yes runs it, and the handler goes on', async (_name, own, forms) => {
    let asked = 0
    const { data, ran } = await nested({ elicit: () => ((asked += 1), YES) }, own)
    expect([data.ok, data.data, ran, asked]).toEqual([true, 'tea', ['tea'], forms])
  })

  test.each([
    ['a no', { elicit: () => NO }],
    ['a dismissal', { elicit: () => ({ action: 'cancel' }) }],
  ])('%s ends the wait', async (_name, options) => {
    const { data, ran } = await nested(options)
    expect([data.error.type, data.error.details, ran]).toEqual(['CANCELLED', { outcome: 'declined' }, []])
  })

  test('of equal calls, the one that is left is asked, also by their handler', async () => {
    const ran = []
    const [properties, requiresConfirmation] = [{ what: { type: 'string' } }, true]
    const { registry } = await openGate({
      order: {
        ...{ kind: 'write', requiresConfirmation, properties },
        execute: ({ args }) => (ran.push(args.what), { ok: true, data: args.what }),
      },
      outer: {
        ...{ kind: 'write', requiresConfirmation, properties },
        execute: ({ callTool }) => callTool('order', { what: 'cake' }, { confirmation: 'wait' }),
      },
    })
    let forms = 0
    const user = await attached(registry, { elicit: () => ((forms += 1) === 1 ? new Promise(() => {}) : YES) })
    const call = options => user.client.callTool({ name: 'outer', arguments: { what: 'tea' } }, options)
    const stop = new AbortController()
    const first = call({ signal: stop.signal }).catch(() => {})
    await eventually(() => forms === 1, 'the form')
    const second = call()
    const requests = () => user.sent.filter(({ method }) => method === 'tools/call').length
    await eventually(() => requests() === 2, 'both requests')
    stop.abort()
    await first
    expect(envelopeOf(await second)).toMatchObject({ ok: true, data: 'cake' })
    expect([ran, forms]).toEqual([['cake'], 3])
  })

  test('a client that cannot ask keeps no handler waiting', async () => {
    const { data, ran } = await nested({})
    expect([data.error.type, ran]).toEqual(['CONFIRMATION_REQUIRED', []])
  })
})

test("a question that a handler's own call has asked is told, and is not this client's to answer", async () => {
  const outer = { execute: async ({ callTool }) => ({ ok: true, data: await callTool('order', { what: 'tea' }) }) }
  const ran = []
  const { registry } = await openGate({
    order: {
      kind: 'write',
      requiresConfirmation: true,
      properties: { what: { type: 'string' } },
      execute: ({ args }) => {
        ran.push(args)
        return { ok: true }
      },
    },
    outer,
  })
  const user = await attached(registry, { elicit: () => YES })
  const result = await user.client.callTool({ name: 'outer' })
  expect(envelopeOf(result).data.error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    confirmation_request: { tool: 'order' },
  })
  expect(user.frames.some(({ method }) => method === 'elicitation/create')).toBe(false)
  expect(ran).toEqual([])
  expectNoToken(user)
})
