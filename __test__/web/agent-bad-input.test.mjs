// What strangers send to the routes of an agent's page: ids, tokens, chat ids and cookies that are forged, replayed, foreign or too
// long. Each is a clear refusal, nothing runs, and others are served.
import { createClientLimits } from '../../js/http/index.js'
import { TOOLS, call, openAgent, toolMessages, user } from '../support/agent.mjs'
import { cpuMsOf } from '../support/cpu-time.mjs'

const SEND = [call('call_send_0001')]
const WAITS = 'It waits for you.'
const USERS = { ada: { principal: 'ada' }, bob: { principal: 'bob' } }
const authenticate = ({ headers }) => USERS[headers.cookie?.match(/login=(\w+)/)?.[1]] ?? null
const as = name => ({ cookie: `login=${name}` })

/** The routes over a write that counts its runs. */
async function counting(rounds, options = {}) {
  const ran = []
  const execute = ({ args }) => ran.push(args.to) && { ok: true, data: { sent: args.to } }
  const agent = await openAgent(rounds, { tools: { ...TOOLS, send_note: { ...TOOLS.send_note, execute } }, ...options })
  return { ...agent, ran }
}

describe('chat ids', () => {
  test.each([
    ['', 400],
    ['x'.repeat(129), 400],
    ['../main', 400],
    ['a b', 400],
    ['é', 400],
    ['\u0000', 400],
    [['main'], 400],
    [{ id: 'main' }, 400],
    [7, 400],
    ['__proto__', 200],
    ['constructor', 200],
    ['x'.repeat(128), 200],
  ])('%j is answered with %i, in each route', async (id, status) => {
    const { page } = await counting(['Hello.', 'Hello.'])
    const one = page()
    expect((await one.fetch('POST', 'chat', { id, messages: [user('hi')] })).status).toBe(status)
    if (status === 200) return
    for (const [path, body] of [
      ['confirmations', { confirmationToken: 'x'.repeat(40), decision: 'approve' }],
      ['confirmations/watch', { known: [] }],
      ['grants', {}],
      ['calls/cancel', { callId: 'c1' }],
      ['conversation', { messages: [user('hi')] }],
    ]) {
      const answer = await one.json('POST', path, { id, ...body })
      expect([path, answer.status, answer.error.type]).toEqual([path, 400, 'VALIDATION'])
    }
    const query = typeof id === 'string' ? `?id=${encodeURIComponent(id)}` : '?id=..%2F'
    for (const path of ['conversation', 'confirmations', 'grants'])
      expect([path, (await one.fetch('GET', `${path}${query}`)).status]).toEqual([path, 400])
  })

  test('many chats of a user keep no more than the list has, and each its own session', async () => {
    const { page } = await counting(Array(60).fill('Hello.'), { authenticate })
    const ada = page(as('ada'))
    for (let at = 0; at < 55; at += 1) await ada.say('', { id: `c${at}`, messages: [user(`chat ${at}`)] })
    const { conversations } = await ada.json('GET', 'conversations')
    expect(conversations).toHaveLength(50)
    expect(conversations[0].id).toBe('c54')
    expect((await page(as('bob')).json('GET', 'conversations')).conversations).toEqual([])
  })
})

test('new chats of a user are limited, however they are named, and known ones go on', async () => {
  const limits = createClientLimits({ perPrincipal: { sessionsPerMinute: 3 } })
  const { page } = await counting(Array(9).fill('Hello.'), { authenticate, limits })
  const ada = page(as('ada'))
  const statuses = []
  for (const id of ['a', 'b', 'c', 'd', 'a'])
    statuses.push((await ada.fetch('POST', 'chat', { id, messages: [user('hi')] })).status)
  expect(statuses).toEqual([200, 200, 200, 429, 200])
  const spoken = await ada.json('POST', 'conversation', { id: 'e', messages: [user('hi')] })
  expect([spoken.status, spoken.error.type]).toEqual([429, 'RATE_LIMIT'])
  expect((await ada.fetch('POST', 'tools/find_note?id=f', { to: 'x' })).status).toBe(409)
  expect((await page(as('bob')).fetch('POST', 'chat', { messages: [user('hi')] })).status).toBe(200)
})

describe('tokens', () => {
  test.each([
    ['', 400],
    ['x'.repeat(513), 400],
    [7, 400],
    [null, 400],
    ['\ud800', 400],
    ['tgc_none', 410],
    ['call_send_0001', 410],
    ['x'.repeat(512), 410],
  ])('%j: %i, and nothing runs', async (confirmationToken, status) => {
    const { page, ran } = await counting([SEND, WAITS])
    const one = page()
    await one.say('send it')
    const answer = await one.json('POST', 'confirmations', { confirmationToken, decision: 'approve' })
    expect([answer.status, ran]).toEqual([status, []])
    expect((await one.json('GET', 'confirmations')).pending).toHaveLength(1)
  })

  test('of another chat or another user, an approval and a denial do nothing', async () => {
    const { page, ran } = await counting([SEND, WAITS, 'Hello.', 'Hello.'], { authenticate })
    const [ada, bob] = [page(as('ada')), page(as('bob'))]
    await ada.say('send it')
    await ada.say('', { id: 'other', messages: [user('hi')] })
    await bob.say('hi')
    for (const [who, id] of [
      [ada, 'other'],
      [bob, undefined],
    ])
      for (const decision of ['approve', 'deny']) {
        const { response, denied } = await who.decide(ada.cards[0], decision, { id })
        expect([response?.error.type ?? denied]).toEqual([decision === 'deny' ? false : 'CONFIRMATION_EXPIRED'])
      }
    expect(ran).toEqual([])
    expect((await ada.json('GET', 'confirmations')).pending).toHaveLength(1)
  })

  test('sent twenty times at once, an approval runs the call once', async () => {
    const { page, ran, requests } = await counting([SEND, WAITS, 'Sent.'])
    const one = page()
    await one.say('send it')
    await Promise.all(Array.from({ length: 20 }, () => one.decide(one.cards[0], 'approve')))
    expect(ran).toEqual(['Ada'])
    // The card of another page: the model gets what the call did.
    expect((await one.decide(one.cards[0], 'deny')).denied).toBe(false)
    expect(await one.goOn()).toBe('Sent.')
    expect(toolMessages(requests[2]).call_send_0001).toMatchObject({ ok: true, data: { sent: 'Ada' } })
  })

  test.each([
    ['args', { args: [] }],
    ['args', { args: 'to' }],
    ['arg', { arg: { what: 'gin' } }],
    ['grant', { grant: { scope: 'all', calls: 1, ttlMs: 1000 } }],
    ['grant', { grant: { scope: 'tool', calls: 1e9, ttlMs: 1000 } }],
    ['decision', { decision: 'yes' }],
    ['decision', { decision: ['approve'] }],
  ])('a decision with a bad `%s` is refused, and the question stays', async (name, more) => {
    const { page, ran } = await counting([SEND, WAITS])
    const one = page()
    await one.say('send it')
    const answer = await one.decide(one.cards[0], 'approve', more)
    expect([answer.status, answer.error.message]).toEqual([400, expect.stringContaining(`/${name}`)])
    expect([ran, (await one.json('GET', 'confirmations')).pending.length]).toEqual([[], 1])
  })
})

describe('call ids', () => {
  test.each([['x'.repeat(257)], [''], [7], [null]])('%j in a history is refused', async toolCallId => {
    const { page, requests } = await counting(['never'])
    const parts = [{ type: 'tool-send_note', toolCallId, state: 'input-available', input: {} }]
    const answer = await page().say('', {
      messages: [user('a'), { id: 'a', role: 'assistant', parts }, user('b', 'b')],
    })
    expect([answer.status, requests]).toEqual([400, []])
  })

  test('of another user’s call, a history has no record', async () => {
    const { page, requests } = await counting([SEND, WAITS, 'What?'], { authenticate })
    const [ada, bob] = [page(as('ada')), page(as('bob'))]
    await ada.say('send it')
    await ada.decide(ada.cards[0], 'approve')
    await bob.say('', { messages: [...ada.messages, user('and?')] })
    const told = toolMessages(requests[2]).call_send_0001
    expect([told.ok, JSON.stringify(told).includes('"sent"')]).toEqual([false, false])
  })
})

describe('cookies', () => {
  test('of one app are none in another, and a very long one is none', async () => {
    const { page } = await counting([SEND, WAITS])
    const one = page()
    await one.say('send it')
    const { page: pageOfOther } = await counting(['Hello.'])
    for (const cookie of [one.cookie, `toolgate_session=${'A'.repeat(100_000)}`, `x=1; ${'; '.repeat(10_000)}`]) {
      const other = pageOfOther()
      other.cookie = cookie
      expect((await other.json('GET', 'conversation')).messages).toEqual([])
      expect((await other.decide(one.cards[0], 'approve')).status).toBe(401)
    }
  })
})

test('bodies of almost 4 MiB are answered, and a neighbour meanwhile', async () => {
  const { page, requests } = await counting(['Long.', 'Hello.'])
  const text = 'x'.repeat(15_000)
  const messages = Array.from({ length: 250 }, (_, at) => user(text, `m${at}`))
  const [long, short] = await Promise.all([page().say('', { messages }), page().say('hi')])
  expect([long, short].toSorted()).toEqual(['Hello.', 'Long.'])
  expect(requests).toHaveLength(2)
})

test('2,000 calls of a history whose last message is the assistant’s are nothing to tell', async () => {
  const { page, requests } = await counting([SEND, WAITS])
  const one = page()
  await one.say('send it')
  const parts = Array.from({ length: 1_900 }, (_, at) => ({
    type: 'tool-send_note',
    toolCallId: `c${at}`,
    state: 'approval-responded',
  }))
  const messages = [user('x'), { id: 'a', role: 'assistant', parts }]
  const took = await cpuMsOf(async () => {
    const response = await one.fetch('POST', 'chat', { messages })
    expect(await response.text()).toBe('data: [DONE]\n\n')
  })
  expect(took).toBeLessThan(5000)
  expect(requests).toHaveLength(2)
})

const steps = length => Array.from({ length }, () => ({ type: 'step-start' }))
/** Lists in lists. */
const nested = levels => Array.from({ length: levels }).reduce(inner => [inner], 1)

test.each([
  ['a last message of 2,001 parts', 413, /more than 2000 parts/, { parts: steps(2001) }],
  [
    'an output of 65 levels',
    400,
    /`\/messages\/1\/parts\/0\/output` must have at most 64 levels/,
    { output: nested(65) },
  ],
  ['an input of 1,000 levels', 400, /`\/messages\/1\/parts\/0\/input` must have/, { input: { a: nested(1000) } }],
])('a history with %s is refused', async (_name, status, told, { parts, ...value }) => {
  const { page, requests } = await counting(['Hello.'])
  const call = { type: 'tool-find_note', toolCallId: 'c1', state: 'output-available', input: {}, output: 1, ...value }
  const answer = { id: 'a', role: 'assistant', parts: parts ?? [call] }
  const response = await page().fetch('POST', 'chat', { messages: [user('x'), answer] })
  expect(response.status).toBe(status)
  expect((await response.json()).error.message).toMatch(told)
  expect(requests).toHaveLength(0)
})

test('of messages that have more than 2,000 parts together, the newest are read', async () => {
  const { page, requests } = await counting(['Hello.'])
  const answered = at => ({
    id: `a${at}`,
    role: 'assistant',
    parts: [...steps(700), { type: 'text', text: `answer ${at}` }],
  })
  const messages = [1, 2, 3].flatMap(at => [user(`question ${at}`, `u${at}`), answered(at)])
  expect(await page().say('', { messages: [...messages, user('and now', 'u4')] })).toBe('Hello.')
  const read = JSON.stringify(requests[0].messages)
  expect([1, 2, 3].map(at => [read.includes(`question ${at}`), read.includes(`answer ${at}`)])).toEqual([
    [false, false],
    [true, true],
    [true, true],
  ])
})

test('messages before the newest 100 are not read', async () => {
  const { page, requests } = await counting(['Hello.'])
  const old = { id: 'old', role: 'assistant', parts: steps(40_000) }
  const messages = [old, ...Array.from({ length: 100 }, (_, at) => user('hi', `m${at}`))]
  expect(await page().say('', { messages })).toBe('Hello.')
  expect(requests[0].messages.filter(({ role }) => role === 'user')).toHaveLength(100)
})

test('one question, one approval: the audit has no other refusal', async () => {
  const { page, lines } = await counting([SEND, WAITS, 'Sent.'])
  const one = page()
  await one.say('send it')
  await one.decide(one.cards[0], 'approve')
  await one.goOn()
  await one.json('POST', 'confirmations/watch', { known: one.cards.map(({ token }) => ({ token })) })
  await one.json('GET', 'conversation')
  expect(lines.filter(({ event }) => event === 'tool_execution')).toMatchObject([{ ok: true }])
  const refusals = lines.flatMap(({ errorType }) => errorType ?? [])
  expect(refusals.filter(type => type !== 'CONFIRMATION_REQUIRED')).toEqual([])
})

test('an equal call of an answer that is made anew asks again, and does not run by itself', async () => {
  const again = [call('call_send_0002')]
  const { page, ran } = await counting([SEND, WAITS, again, 'Again?'])
  const one = page()
  await one.say('send it')
  await one.decide(one.cards[0], 'approve')
  await one.say('', { messages: [one.messages[0]] })
  expect(ran).toEqual(['Ada'])
})
