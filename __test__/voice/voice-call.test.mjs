// A call of `toolgate/voice` with a page of the test and the simulator as the provider. The program of docs/voice.md is tested by
// `__test__/docs/voice.long.test.mjs`.
import { once } from 'node:events'

import { GoogleGenAI } from '@google/genai'
import WebSocket, { WebSocketServer } from 'ws'

import { geminiLive, openaiRealtime, serveVoiceCall } from '../../js/voice/index.js'
import { startSimulator } from '../../simulator/src/index.js'
import { eventually, gateway, openGate } from '../support/gate.mjs'
import { afterTest } from '../support/tool-set.mjs'

const says = (word, ...emit) => ({ when: { user: { contains: word } }, steps: [{ emit }] })
const refund = number => ({ call: { name: 'refund', args: { number } } })
/** On the first connection only. */
const firstOnly = (word, ...emit) => ({ when: { user: { contains: word }, connection: 1 }, steps: [{ emit }] })
const RULES = [
  says('both', refund('A-1'), refund('A-2')),
  {
    when: { user: { contains: 'refund' } },
    steps: [{ emit: [refund('A-1')] }, { emit: [{ say: 'Shall I?' }] }],
  },
  firstOnly('look and leave', { call: { name: 'look', args: {} } }, { goAway: { timeLeft: '1s' } }),
  firstOnly('return and leave', refund('A-1'), { goAway: { timeLeft: '1s' } }),
  { when: 'always', steps: [{ emit: [{ say: 'Yes?' }] }] },
]
/** 200 ms of noise and a second of silence: an utterance for both services. */
const SPEECH = Buffer.concat([Buffer.alloc(9600, 'ab'), Buffer.alloc(48_000)])

const number = { number: { type: 'string', description: 'The number of the order.' } }
const asking = (ran, fields = {}) => ({
  kind: 'write',
  requiresConfirmation: true,
  properties: number,
  required: ['number'],
  execute: ({ args }) => {
    ran.push(args.number)
    return { ok: true, data: { refunded: args.number } }
  },
  ...fields,
})

/** Models by provider, over the simulator. */
const MODELS = {
  gemini: sim =>
    geminiLive(new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: sim.url } }), {
      model: 'gemini-3.8-live',
    }),
  openai: sim =>
    openaiRealtime(() => new WebSocket(`${sim.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime-2.1`)),
}

/** A server of calls with this model, and what its calls do. */
async function serve(tools, model, options = {}, mayReport = false) {
  const { registry } = await openGate(tools)
  const errors = []
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  afterTest(() => new Promise(resolve => server.close(resolve)))
  const calls = []
  server.on('connection', socket => {
    const session = { sessionId: 'call-1', principal: 'user-17', roles: [] }
    calls.push(serveVoiceCall(registry, { socket, session, model, onError: error => errors.push(error), ...options }))
  })
  afterTest(() => {
    if (!mayReport) expect(errors).toEqual([])
  })
  return { registry, errors, calls, url: `ws://127.0.0.1:${server.address().port}` }
}

async function openPage(url) {
  const socket = new WebSocket(url)
  const frames = []
  let audioBytes = 0
  socket.on('message', (data, isBinary) => {
    if (isBinary) audioBytes += data.length
    else frames.push(JSON.parse(data))
  })
  const closed = new Promise(resolve => socket.once('close', resolve))
  await once(socket, 'open')
  afterTest(async () => {
    socket.terminate()
    await closed
  })
  const ofType = type => frames.filter(one => one.type === type)
  const frame = async (type, at = 0) => {
    await eventually(() => ofType(type).length > at, `a frame ${type}`)
    return ofType(type)[at]
  }
  const send = one => socket.send(typeof one === 'string' ? one : JSON.stringify(one))
  const speak = async () => {
    await frame('ready')
    socket.send(SPEECH)
  }
  return { socket, frames, frame, ofType, closed, send, speak, audioBytes: () => audioBytes }
}

async function openCall(provider, tools, transcripts, options, rules = RULES) {
  const settings = { label: '', listenMs: 300 }
  const sim = await startSimulator({ scenario: { settings, rules, audio: { transcripts } } })
  afterTest(() => sim.close())
  const server = await serve(tools, MODELS[provider](sim), options)
  return { ...server, sim, page: await openPage(server.url) }
}

/** Texts that the model got. */
const textsTo = sim =>
  sim.received.flatMap(({ json }) => [
    ...(json?.clientContent?.turns ?? []).flatMap(({ parts }) => parts.map(({ text }) => text)),
    ...(json?.item?.content ?? []).map(({ text }) => text ?? ''),
  ])

describe.each(Object.keys(MODELS))('%s', provider => {
  test('a page gets what was said, in its own frames', async () => {
    const frameOf = event => (event.type === 'transcript' ? { caption: event.text, type: event.from } : event)
    const { page } = await openCall(provider, { look: {} }, ['hello there'], { frameOf })
    await page.speak()
    expect(await page.frame('user')).toEqual({ type: 'user', caption: 'hello there' })
    expect(await page.frame('model')).toEqual({ type: 'model', caption: 'Yes?' })
    expect(page.audioBytes()).toBeGreaterThan(0)
  })

  test('an event without a frame is not sent', async () => {
    const frameOf = event => (event.from === 'user' ? null : event)
    const { page } = await openCall(provider, { look: {} }, ['hello there'], { frameOf })
    await page.speak()
    expect((await page.frame('transcript')).from).toBe('model')
  })

  test('words answer nothing unless `spokenConsent` says so', async () => {
    const ran = []
    const { page } = await openCall(provider, { refund: asking(ran) }, ['refund it', 'yes'])
    await page.speak()
    await page.frame('transcript', 1)
    await page.speak()
    await page.frame('transcript', 3)
    expect([ran, page.ofType('confirmationClosed')]).toEqual([[], []])
  })

  test('words answer none of several confirmations', async () => {
    const ran = []
    const options = { spokenConsent: true }
    const { page } = await openCall(provider, { refund: asking(ran) }, ['both of them', 'yes'], options)
    await page.speak()
    await page.frame('confirmation', 1)
    await page.speak()
    await eventually(() => page.ofType('transcript').some(({ text }) => text === 'yes'), 'the words')
    await page.frame('transcript', 2)
    expect([ran, page.ofType('confirmationClosed')]).toEqual([[], []])
  })

  test('what an approval did not run stays on the page, and can be confirmed later', async () => {
    const ran = []
    const session = { sessionId: 'call-1', principal: 'user-17', roles: ['clerk'] }
    const tools = { refund: asking(ran, { requiredRoles: ['clerk'] }) }
    const { page, url } = await openCall(provider, tools, ['refund it'], { session })
    await page.speak()
    const { token } = await page.frame('confirmation')
    page.socket.close()
    await page.closed
    session.roles = []
    const again = await openPage(url)
    await again.frame('confirmation')
    again.send({ type: 'confirm', token })
    const message = '`refund` needs a role that this session does not hold: clerk'
    expect(await again.frame('error')).toEqual({ type: 'error', code: 'not_confirmed', token, message })
    session.roles = ['clerk']
    const last = await openPage(url)
    await last.frame('confirmation')
    last.send({ type: 'confirm', token })
    expect(await last.frame('confirmationClosed')).toMatchObject({ token, outcome: 'confirmed' })
    expect(ran).toEqual(['A-1'])
  })

  test('the model hears that a confirmed call has failed', async () => {
    const execute = () => ({ ok: false, error: { type: 'PERMANENT', message: 'no such order' } })
    const { page, sim } = await openCall(provider, { refund: asking([], { execute }) }, ['refund it'])
    await page.speak()
    const { token } = await page.frame('confirmation')
    page.send({ type: 'confirm', token })
    expect(await page.frame('confirmationClosed')).toMatchObject({ outcome: 'confirmed' })
    await eventually(() => textsTo(sim).some(text => text.includes('no such order')), 'the model hears of it')
    expect(textsTo(sim).some(text => text.includes('did not approve'))).toBe(false)
  })

  test.each([
    ['confirmed', '"refunded":"A-1"', ['A-1']],
    ['denied', 'did not approve', []],
  ])('a confirmation that was %s in a text chat is closed', async (decision, text, expected) => {
    const ran = []
    const { page, sim, registry } = await openCall(provider, { refund: asking(ran) }, ['refund it'])
    await page.speak()
    const { token } = await page.frame('confirmation')
    const chat = await registry.createSession({ sessionId: 'call-1', principal: 'user-17', mode: 'text', roles: [] })
    await (decision === 'confirmed' ? chat.confirm(token) : chat.deny(token))
    page.send({ type: 'confirm', token }) // too late, if the call has not noticed
    expect(await page.frame('confirmationClosed')).toMatchObject({ token, outcome: 'elsewhere' })
    await eventually(() => textsTo(sim).some(one => one.includes(text)), 'the model hears of it')
    expect(ran).toEqual(expected)
  })

  test('what approvers decide is not confirmed by its user, who can deny it', async () => {
    const ran = []
    const tools = { refund: asking(ran, { confirmation: { approvers: { roles: ['manager'] } } }) }
    const { page, sim } = await openCall(provider, tools, ['refund it', 'yes'], { spokenConsent: true })
    await page.speak()
    const { token, approvers } = await page.frame('confirmation')
    expect(approvers).toEqual({ roles: ['manager'], count: 1 })
    page.send({ type: 'confirm', token })
    await page.frame('transcript', 1)
    await page.speak()
    await page.frame('transcript', 2)
    page.send({ type: 'deny', token })
    expect(await page.frame('confirmationClosed')).toMatchObject({ token, outcome: 'denied' })
    await eventually(() => textsTo(sim).some(text => text.includes('did not approve')), 'the model hears of it')
    expect(ran).toEqual([])
  })

  test.each(['{', 'null', '[]', '{"type":"confirm"}', '{"type":"confirm","token":"a","args":{}}', '{"type":"end"}'])(
    'the frame %s is refused, and the call continues',
    async text => {
      const { page } = await openCall(provider, { look: {} }, ['hello'])
      page.send(text)
      expect(await page.frame('error')).toEqual({ type: 'error', code: 'bad_frame' })
      await page.speak()
      await page.frame('transcript', 1)
    },
  )
})

test('Gemini: a call that runs while the connection is renewed answers on the new one, once', async () => {
  const { open, passed } = gateway()
  let runs = 0
  const execute = async () => {
    runs += 1
    await passed
    return { ok: true, data: { seen: 'a cat' } }
  }
  const { sim, page } = await openCall('gemini', { look: { kind: 'read', execute } }, ['look and leave', 'hello'])
  await page.speak()
  await sim.live.whenConnected(2)
  await eventually(() => sim.live.connections[1].setup, 'the setup')
  open()
  const results = () => textsTo(sim).filter(text => text.includes('a cat'))
  await eventually(() => results().length > 0, 'the result')
  await page.speak()
  await page.frame('transcript', 2)
  expect([results().length, runs]).toEqual([1, 1])
})

test('Gemini: what is confirmed while the connection is renewed reaches the model on the new one, once', async () => {
  const ran = []
  const { open, passed } = gateway()
  const settings = { label: '', listenMs: 300 }
  const sim = await startSimulator({
    scenario: { settings, rules: RULES, audio: { transcripts: ['return and leave'] } },
  })
  afterTest(() => sim.close())
  const ai = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: sim.url } })
  let connections = 0
  const connect = async parameters => {
    connections += 1
    if (connections === 2) await passed
    return ai.live.connect(parameters)
  }
  const model = geminiLive({ live: { connect } }, { model: 'gemini-3.8-live' })
  const { url } = await serve({ refund: asking(ran) }, model)
  const page = await openPage(url)
  await page.speak()
  const { token } = await page.frame('confirmation')
  await eventually(() => connections === 2, 'the renewal')
  page.send({ type: 'confirm', token })
  await page.frame('confirmationClosed')
  open()
  const results = () => textsTo(sim).filter(text => text.includes('"refunded":"A-1"'))
  await eventually(() => results().length > 0, 'the result')
  await page.speak()
  await page.frame('transcript', 1)
  expect([ran, results().length]).toEqual([['A-1'], 1])
})

describe('connections', () => {
  const tools = { look: {} }

  test('a model that can not be reached ends the call, with its error', async () => {
    const model = openaiRealtime(() => new WebSocket('ws://127.0.0.1:1'))
    const { url, errors, calls } = await serve(tools, model, {}, true)
    const page = await openPage(url)
    expect(await page.closed).toBe(1011)
    expect(errors).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' })])
    await Promise.all(calls)
  })

  test('a Gemini that closes each connection at once is not called again and again', async () => {
    let connections = 0
    const connect = async ({ callbacks }) => {
      connections += 1
      setImmediate(() => callbacks.onclose())
      return { sendToolResponse() {}, sendClientContent() {}, close() {} }
    }
    const { url, errors } = await serve(tools, geminiLive({ live: { connect } }, { model: 'any' }), {}, true)
    const page = await openPage(url)
    expect(await page.closed).toBe(1011)
    expect([connections, String(errors)]).toEqual([1, expect.stringMatching(/before it sent anything/)])
  })

  test('a session that can not be opened ends the call', async () => {
    const { url, errors } = await serve(
      tools,
      () => Promise.reject(new Error('never')),
      { session: { roles: 7 } },
      true,
    )
    const page = await openPage(url)
    expect(await page.closed).toBe(1011)
    expect(errors).toEqual([expect.objectContaining({ name: 'TypeError' })])
  })

  /** A model without a provider. */
  const silent = (over = {}) => ({
    transport: { receiveToolCalls: () => [], receiveCancellations: () => [], problem: null, sendToolResult() {} },
    sendAudio() {},
    sendText() {},
    read: () => ({ audio: [], utterance: '', said: '', isInterrupted: false, isTurnOver: false }),
    close() {},
    ...over,
  })

  test('a page that leaves while the model connects leaves no connection', async () => {
    const { open, passed } = gateway()
    const connecting = gateway()
    let closes = 0
    const model = async () => {
      connecting.open()
      await passed
      return silent({ close: () => (closes += 1) })
    }
    const { url, calls } = await serve(tools, model)
    const page = await openPage(url)
    await connecting.passed
    page.socket.close()
    await page.closed
    await Promise.all(calls) // also of a model that never answers
    open()
    await eventually(() => closes === 1, 'the connection is closed')
  })

  test('a page that does not read is left', async () => {
    const audio = Array.from({ length: 64 }, () => Buffer.alloc(1024 * 1024))
    const model = async host => {
      const read = () => ({ audio, utterance: '', said: '', isInterrupted: false, isTurnOver: false })
      setImmediate(() => host.onMessage({}))
      return silent({ read })
    }
    const { url } = await serve(tools, model)
    const page = await openPage(url)
    page.socket.pause()
    setImmediate(() => page.socket.resume())
    expect(await page.closed).toBe(1013)
    expect(page.audioBytes()).toBeLessThan(64 * 1024 * 1024)
  })
})

test.each([
  [{}, /`model` is missing/],
  [{ model() {}, voice: 'any' }, /unknown voice call option `voice`/],
  [{ model() {}, spokenConsent: 'en' }, /`spokenConsent` must be/],
])('the options %j are a TypeError', async (options, message) => {
  await expect(serveVoiceCall({}, options)).rejects.toThrow(message)
})

test.each([
  [() => geminiLive({}, {}), /`model` is missing/],
  [() => geminiLive({}, { model: 'any', voice: 'any' }), /unknown Gemini Live option `voice`/],
  [() => openaiRealtime(() => {}, { model: 'any' }), /unknown OpenAI Realtime option `model`/],
])('%s is a TypeError', (make, message) => {
  expect(make).toThrow(message)
})
