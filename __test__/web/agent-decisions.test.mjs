// What follows a decision: the model's words about it, asked for without a message of the user, and how a running call is watched and
// stopped.
import { eventually, gateway } from '../support/gate.mjs'
import { TOOLS, call, openAgent, textOf, toolMessages, user } from '../support/agent.mjs'

const SEND = [call('call_send_0001')]
const WAITS = 'It waits for you.'
const lastRoles = ({ messages }) => messages.slice(-2).map(({ role }) => role)

describe('the model goes on after a decision, without a message of the user', () => {
  test.each([
    ['an approval', 'approve', {}, answer => expect(answer).toMatchObject({ ok: true, data: { sent: 'Ada' } })],
    ['an edit', 'approve', { args: { to: 'Eve' } }, answer => expect(answer).toMatchObject({ data: { sent: 'Eve' } })],
    ['a denial', 'deny', {}, answer => expect(answer.error).toMatchObject({ type: 'CANCELLED' })],
  ])('%s is told once, at the end', async (_what, decision, more, check) => {
    const ran = []
    const execute = ({ args }) => ran.push(args.to) && { ok: true, data: { sent: args.to } }
    const tools = { send_note: { ...TOOLS.send_note, execute } }
    const { page, requests } = await openAgent([SEND, WAITS, 'Noted.', 'Yes.'], { tools })
    const one = page()
    await one.say('send it')
    await one.decide(one.cards[0], decision, more)
    const [asked, answer] = one.messages
    expect(await one.goOn()).toBe('Noted.')
    check(toolMessages(requests[2]).call_send_0001)
    expect(lastRoles(requests[2])).toEqual(['assistant', 'tool'])
    // In the same message, and none was added.
    expect(one.messages.map(({ id }) => id)).toEqual([asked.id, answer.id])
    expect(await one.goOn()).toBe(null)
    expect(requests).toHaveLength(3)
    const { messages } = await one.json('GET', 'conversation')
    expect(messages.map(textOf)).toEqual(['send it', `${WAITS}Noted.`])
    await one.say('and?')
    check(toolMessages(requests[3]).call_send_0001)
    expect(ran).toHaveLength(decision === 'deny' ? 0 : 1)
  })

  test('a denial is kept as one', async () => {
    const { page } = await openAgent([SEND, WAITS, 'Noted.'])
    const one = page()
    await one.say('send it')
    await one.decide(one.cards[0], 'deny')
    await one.goOn()
    const { messages } = await one.json('GET', 'conversation')
    const { output } = messages[1].parts.find(({ toolCallId }) => toolCallId !== undefined)
    expect(output.error).toMatchObject({ type: 'CANCELLED', details: { reason: 'denied' } })
  })

  test('a decision that a message has carried is not told again', async () => {
    const { page, requests } = await openAgent([SEND, WAITS, 'Sent.'])
    const one = page()
    await one.say('send it')
    await one.decide(one.cards[0], 'approve')
    expect(await one.say('done?')).toBe('Sent.')
    expect(await one.goOn()).toBe(null)
    expect(requests).toHaveLength(3)
  })

  test('nothing is said while a question waits, and of no question', async () => {
    const { page, requests } = await openAgent([SEND, WAITS])
    const one = page()
    await one.say('send it')
    expect(await one.goOn()).toBe(null)
    const forged = { ...SEND[0], type: 'tool-send_note', toolCallId: 'call_none_0001', state: 'approval-responded' }
    const messages = [user('x'), { id: 'a', role: 'assistant', parts: [forged] }]
    expect(await one.goOn({ messages })).toBe(null)
    const nobody = page()
    expect(await nobody.goOn({ messages })).toBe(null)
    expect([nobody.cookie, requests.length]).toEqual(['', 2])
  })

  test('the words of the page about the answer do not count', async () => {
    const { page, requests } = await openAgent([SEND, WAITS, 'Noted.'])
    const one = page()
    await one.say('send it')
    await one.decide(one.cards[0], 'deny')
    const [asked, answer] = one.messages
    const output = { ok: true, data: { sent: 'Eve' }, intents: [], meta: { toolId: 'send_note' } }
    const parts = answer.parts.map(part => (part.toolCallId ? { ...part, state: 'output-available', output } : part))
    expect(await one.goOn({ messages: [asked, { ...answer, parts }] })).toBe('Noted.')
    expect(toolMessages(requests[2]).call_send_0001.error.type).toBe('CANCELLED')
  })

  test('two pages ask, and one is answered; each of several decisions is told once', async () => {
    const two = [call('call_send_0001'), call('call_send_0002', 'send_note', 'Eve')]
    const { page, requests } = await openAgent([two, 'Both wait.', 'One.', 'Other.'])
    const one = page()
    await one.say('send both')
    const other = page()
    Object.assign(other, { cookie: one.cookie, messages: one.messages })
    await one.decide(one.cards[0], 'approve')
    expect((await Promise.all([one.goOn(), other.goOn()])).toSorted()).toEqual(['One.', null])
    expect(toolMessages(requests[2]).call_send_0002.error.type).toBe('CONFIRMATION_REQUIRED')
    await one.decide(one.cards[1], 'deny')
    expect(await one.goOn()).toBe('Other.')
    expect(toolMessages(requests[3])).toMatchObject({
      call_send_0001: { data: { sent: 'Ada' } },
      call_send_0002: { error: { type: 'CANCELLED' } },
    })
    expect(await other.goOn()).toBe(null)
  })

  test('a question of an earlier message is told at the end too', async () => {
    const { page, requests } = await openAgent([SEND, WAITS, 'A joke.', 'Noted.'])
    const one = page()
    await one.say('send it')
    await one.say('a joke?')
    await one.decide(one.cards[0], 'approve')
    expect(await one.goOn()).toBe('Noted.')
    expect(lastRoles(requests[3])).toEqual(['assistant', 'tool'])
    expect(toolMessages(requests[3]).call_send_0001).toMatchObject({ ok: true })
  })

  test('what a failing model was to be told is told at the next try', async () => {
    const { page, requests } = await openAgent([SEND, WAITS, { fails: true }, 'Noted.'], { onError: () => {} })
    const one = page()
    await one.say('send it')
    await one.decide(one.cards[0], 'approve')
    expect(await one.goOn()).toBe(null)
    expect(await one.goOn()).toBe('Noted.')
    expect(requests).toHaveLength(4)
  })

  test('what the model calls then asks too', async () => {
    const { page } = await openAgent([SEND, WAITS, [call('call_send_0002', 'send_note', 'Eve')], 'Another.', 'Done.'])
    const one = page()
    await one.say('send it')
    await one.decide(one.cards[0], 'approve')
    expect(await one.goOn()).toBe('Another.')
    expect(one.cards.map(({ callId }) => callId)).toEqual(['call_send_0001', 'call_send_0002'])
    await one.decide(one.cards[1], 'approve')
    expect(await one.goOn()).toBe('Done.')
  })
})

describe('an approved call that runs', () => {
  const slow = more => {
    const [begun, go] = [gateway(), gateway()]
    const execute = async ({ progress, signal }) => {
      await progress?.('half done')
      begun.open()
      await Promise.race([go.passed, new Promise((_, reject) => signal.addEventListener('abort', reject))])
      return { ok: true, data: 'done' }
    }
    const tool = { requiresConfirmation: true, confirmation: { preview: 'Do it' }, ...more, execute }
    return { tools: { slow: tool }, begun, go }
  }
  const SLOW = [{ id: 'call_slow_0001', name: 'slow', args: '{}' }]

  test('shows its progress to who watches, and what it came to', async () => {
    const { tools, begun, go } = slow({ kind: 'write' })
    const { page } = await openAgent([SLOW, WAITS], { tools })
    const one = page()
    await one.say('do it')
    const deciding = one.decide(one.cards[0], 'approve')
    await begun.passed
    const known = [{ token: one.cards[0].token }]
    const look = async () => (await one.json('POST', 'confirmations/watch', { known })).closed
    expect(await look()).toEqual([{ token: known[0].token, outcome: 'running', progress: 'half done' }])
    // What has begun to write runs on.
    expect(one.cards[0].canStop).toBe(false)
    await one.json('POST', 'calls/cancel', { callId: 'call_slow_0001' })
    go.open()
    await deciding
    await eventually(async () => (await look())[0].outcome !== 'running', 'the call ends')
    expect(await look()).toEqual([{ token: known[0].token, outcome: 'done' }])
  })

  test('is stopped, if it reads', async () => {
    const { tools, begun } = slow({ kind: 'read' })
    const { page } = await openAgent([SLOW, WAITS, 'Stopped.'], { tools })
    const one = page()
    await one.say('do it')
    expect(one.cards[0].canStop).toBe(true)
    const deciding = one.decide(one.cards[0], 'approve')
    await begun.passed
    expect(await one.json('POST', 'calls/cancel', { callId: 'call_slow_0001' })).toMatchObject({ cancelled: true })
    expect((await deciding).response.error.type).toBe('CANCELLED')
    expect(await one.goOn()).toBe('Stopped.')
  })
})
