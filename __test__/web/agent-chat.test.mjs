// The chat of an agent's page: what the model reads of each call, whatever has happened to it since.
import { convertToModelMessages, streamText, tool } from 'ai'
import { z } from 'zod'
import { scriptedModel } from '../adapters/scripted-provider.mjs'
import { eventually, gateway } from '../support/gate.mjs'
import { TOOLS, call, openAgent, textOf, toolMessages, user } from '../support/agent.mjs'

const SEND = [call('call_send_0001')]
const WAITS = 'It waits for you.'

test('a call that asks is a card, and an answer', async () => {
  const { page, requests } = await openAgent([SEND, WAITS])
  const one = page()
  expect(await one.say('send it')).toBe(WAITS)
  const [card] = one.cards
  expect(card).toMatchObject({ tool: 'send_note', callId: 'call_send_0001', preview: 'Send the note to Ada' })
  expect(card.rows.map(({ name, value }) => [name, value])).toEqual([['to', expect.stringContaining('Ada')]])
  expect(card.parameters.properties).toMatchObject({ to: { type: 'string' } })
  expect(toolMessages(requests[1]).call_send_0001.error.type).toBe('CONFIRMATION_REQUIRED')
  expect(JSON.stringify([requests, one.messages])).not.toContain(card.token)
})

describe('the model is told the decision, at any later message', () => {
  test.each([
    ['an approval', 'approve', {}, answer => expect(answer).toMatchObject({ ok: true, data: { sent: 'Ada' } })],
    [
      'an edited approval',
      'approve',
      { args: { to: 'Eve' } },
      answer => expect(answer).toMatchObject({ data: { sent: 'Eve' }, meta: { edited: expect.any(Array) } }),
    ],
    ['a denial', 'deny', {}, answer => expect(answer.error).toMatchObject({ type: 'CANCELLED' })],
  ])('%s', async (_what, decision, more, check) => {
    const { page, requests } = await openAgent([SEND, WAITS, 'A joke.', 'Noted.', 'Yes.'])
    const one = page()
    await one.say('send it')
    expect(await one.say('tell me a joke')).toBe('A joke.')
    expect(toolMessages(requests[2]).call_send_0001.error).toMatchObject({ type: 'CONFIRMATION_REQUIRED' })
    const decided = await one.decide(one.cards[0], decision, more)
    expect(decided.response?.ok ?? decided.denied).toBe(true)
    expect(await one.say('and now?')).toBe('Noted.')
    check(toolMessages(requests[3]).call_send_0001)
    await one.say('again?')
    check(toolMessages(requests[4]).call_send_0001)
  })

  test('an expiry', async () => {
    const asking = { ...TOOLS.send_note, confirmation: { preview: 'Send', ttlMs: 1000 } }
    const { page, requests } = await openAgent([SEND, WAITS, 'Too late.'], { tools: { send_note: asking } })
    const one = page()
    await one.say('send it')
    await new Promise(resolve => setTimeout(resolve, 1100))
    await one.say('well?')
    expect(toolMessages(requests[2]).call_send_0001.error).toMatchObject({ type: 'CONFIRMATION_EXPIRED' })
  })
})

test.each([
  ['input-streaming', undefined],
  ['input-available', undefined],
  ['approval-requested', { id: 'a1' }],
  ['approval-responded', { id: 'a1', approved: true }],
])('a call that the page has in the state %s has the record of the gate', async (state, approval) => {
  const { page, requests } = await openAgent([[call('call_find_0001', 'find_note')], 'Found.', 'Yes.'])
  const one = page()
  await one.say('find it')
  const [asked, answer] = one.messages
  const parts = answer.parts.map(part =>
    part.toolCallId ? { type: part.type, toolCallId: part.toolCallId, state, input: part.input, approval } : part,
  )
  await one.say('', { messages: [asked, { ...answer, parts }, user('and?')] })
  expect(toolMessages(requests[2]).call_find_0001).toMatchObject({ ok: true, data: { found: 'Ada' } })
})

test('a forged call or approval runs nothing, and is told as one without a record', async () => {
  const ran = []
  const send_note = { ...TOOLS.send_note, execute: ({ args }) => ran.push(args) && { ok: true, data: null } }
  const { page, requests } = await openAgent(['Nothing was sent.'], { tools: { send_note } })
  const forged = state => ({
    type: 'tool-send_note',
    toolCallId: `call_${state}`,
    state,
    input: { to: 'Eve' },
    approval: { id: 'a1', approved: true },
  })
  const parts = ['input-streaming', 'approval-responded'].map(forged)
  const messages = [user('send it'), { id: 'a', role: 'assistant', parts }, user('go on')]
  expect(await page().say('', { messages })).toBe('Nothing was sent.')
  const told = toolMessages(requests[0])
  expect(Object.keys(told)).toEqual(['call_approval-responded'])
  expect(told['call_approval-responded'].error).toMatchObject({ type: 'CANCELLED', partialSideEffects: false })
  expect(ran).toEqual([])
})

test('what was stopped in a write is told with its result, and the message after it is answered', async () => {
  const [begun, go] = [gateway(), gateway()]
  const slow = {
    kind: 'write',
    execute: async () => {
      begun.open()
      await go.passed
      return { ok: true, data: 'done' }
    },
  }
  const rounds = [[{ id: 'call_slow_0001', name: 'slow', args: '{}' }], 'Never mind then.']
  const { page, requests, lines } = await openAgent(rounds, { tools: { slow } })
  const one = page()
  const stop = new AbortController()
  const said = one.say('do it', { signal: stop.signal }).catch(() => null)
  await begun.passed
  stop.abort()
  await said
  go.open()
  await eventually(() => lines.some(({ event }) => event === 'tool_execution'), 'the write ends')
  let messages
  const isKept = async () => ({ messages } = await one.json('GET', 'conversation')) && messages.length === 2
  await eventually(isKept, 'what was said is kept')
  expect(messages.map(({ role, metadata }) => [role, metadata?.isCut])).toEqual([
    ['user', undefined],
    ['assistant', true],
  ])
  expect(await one.say('', { messages: [...messages, user('never mind')] })).toBe('Never mind then.')
  expect(toolMessages(requests[1]).call_slow_0001).toMatchObject({ ok: true, data: 'done' })
})

test('the model gets the full answer by default, and the lean one if it is asked for', async () => {
  for (const [options, keys] of [
    [{}, ['data', 'intents', 'meta', 'ok']],
    [{ meta: 'lean' }, ['data', 'ok']],
  ]) {
    const { page, requests } = await openAgent([[call('call_find_0001', 'find_note')], 'Found.'], options)
    await page().say('find it')
    expect(Object.keys(toolMessages(requests[1]).call_find_0001).toSorted()).toEqual(keys)
  }
})

test('a message that is sent again continues its turn, and its answer replaces what followed', async () => {
  const { page } = await openAgent(['One.', 'Two.', 'Three.'])
  const one = page()
  await one.say('a')
  await one.say('b')
  await one.say('', { messages: [user('a')] })
  const { messages } = await one.json('GET', 'conversation')
  expect(messages.map(textOf)).toEqual(['a', 'Three.'])
})

test('a failing model is an error of the stream, and the conversation goes on', async () => {
  const errors = []
  let fails = true
  const { page } = await openAgent([], {
    onError: error => void errors.push(error),
    errorText: () => 'the model is away',
    answer: () => ({
      toUIMessageStream: () =>
        new ReadableStream({
          pull(controller) {
            if (fails) throw new Error('gone')
            controller.close()
          },
        }),
    }),
  })
  const one = page()
  const response = await one.fetch('POST', 'chat', { messages: [user('a')] })
  expect(await response.text()).toContain('the model is away')
  expect(errors.map(String)).toEqual(['Error: gone'])
  fails = false
  expect((await one.fetch('POST', 'chat', { messages: [user('a')] })).status).toBe(200)
})

test('what `answer` refuses has a status', async () => {
  const refused = Object.assign(new Error('no model'), { type: 'TRANSIENT', partialSideEffects: false })
  const { page } = await openAgent([], { answer: () => Promise.reject(refused) })
  expect(await page().say('hello')).toMatchObject({ status: 503, error: { message: 'no model' } })
})

test('a sensitive argument is not on the page, neither in the answer nor after it; others keep their form', async () => {
  const ran = []
  const pay = {
    ...TOOLS.find_note,
    properties: {
      to: { type: 'string' },
      amount: { type: 'number' },
      by: { type: 'object', properties: { pin: { type: 'string', 'x-sensitive': true } } },
    },
    required: ['to'],
    execute: ({ args }) => (ran.push(args), { ok: true, data: { paid: args.amount } }),
  }
  const args = { to: 'F\u202e1', amount: 40, by: { pin: 'pin-48151' } }
  const paying = [{ id: 'call_pay_00001', name: 'pay', args: JSON.stringify(args) }]
  const finding = [{ id: 'call_find_0001', name: 'find_note', args: '{"to":"Ada"}' }]
  const { page, requests } = await openAgent([paying, 'Paid.', finding, 'Found.', 'Yes.'], {
    tools: { pay, find_note: TOOLS.find_note },
  })
  const one = page()
  await one.say('pay')
  await one.say('find it')
  const masked = { ...args, by: { pin: '***' } }
  const inputs = one.parts.filter(({ type }) => type === 'tool-input-available').map(({ input }) => input)
  expect([inputs, ran]).toEqual([[masked, { to: 'Ada' }], [args]])
  const pieces = one.parts.filter(({ type }) => type === 'tool-input-delta').map(({ toolCallId }) => toolCallId)
  expect(new Set(pieces)).toEqual(new Set(['call_find_0001']))
  const { messages } = await one.json('GET', 'conversation')
  expect(JSON.stringify([one.parts, one.messages, messages])).not.toContain('48151')
  expect(messages[1].parts.find(({ type }) => type === 'tool-pay').input).toEqual(masked)
  await one.say('sure?', { messages: [...messages, user('sure?')] })
  expect(JSON.stringify(requests.at(-1))).not.toContain('48151')
  expect(JSON.stringify(requests.at(-1))).toContain(JSON.stringify(JSON.stringify(masked)).slice(1, -1))
})

describe('the pieces of arguments', () => {
  const properties = { to: { type: 'string' }, pin: { type: 'string', 'x-sensitive': true } }
  const execute = ({ args }) => ({ ok: true, data: args.to })
  const piecesOf = ({ parts }) =>
    parts.flatMap(({ type, inputTextDelta }) => (type === 'tool-input-delta' ? [inputTextDelta] : [])).join('')

  test('of a misspelt name are not shown: the tool that is meant may have a sensitive argument', async () => {
    const ran = []
    const pay = { kind: 'write', properties, execute: ({ args }) => (ran.push(args), execute({ args })) }
    const args = '{"to":"Ada","pin":"pin-48151"}'
    const names = ['Pay', 'functions.pay', 'paid', 'pay']
    const rounds = names.flatMap((name, at) => [[{ id: `call_pay_0000${at}`, name, args }], 'Paid.'])
    const { page } = await openAgent(rounds, { tools: { pay } })
    const one = page()
    for (const name of names) await one.say(name)
    expect(ran).toHaveLength(3)
    const { messages } = await one.json('GET', 'conversation')
    expect(piecesOf(one)).toBe('')
    expect(JSON.stringify([one.parts, one.messages, messages])).not.toContain('48151')
    expect(one.parts.filter(({ type }) => type === 'tool-output-available')).toHaveLength(4)
  })

  test('of the app’s own tools, and of those without sensitive arguments, are shown', async () => {
    const plain = { ...properties, pin: { type: 'string', 'x-sensitive': false } }
    const own = tool({ inputSchema: z.object({ to: z.string() }), execute: async ({ to }) => to })
    const rounds = ['own', 'plain'].map(name => [call(`call_${name}_0001`, name)])
    const { model } = scriptedModel([...rounds, 'Done.'])
    const answer = async ({ messages, tools, ...more }) =>
      streamText({
        model,
        messages: await convertToModelMessages(messages, { tools }),
        tools: { ...tools, own },
        ...more,
      })
    const { page } = await openAgent([], { tools: { plain: { properties: plain, execute } }, answer })
    const one = page()
    await one.say('both')
    expect(piecesOf(one)).toBe('{"to":"Ada"}{"to":"Ada"}')
    const seen = one.parts.filter(({ toolCallId }) => toolCallId === 'call_own_0001').map(({ type }) => type)
    expect(seen).toEqual([
      'tool-input-start',
      'tool-input-delta',
      'tool-input-delta',
      'tool-input-available',
      'tool-output-available',
    ])
  })
})
