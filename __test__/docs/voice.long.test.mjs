// The voice server of docs/voice.md in a process of its own, with the simulator as both providers and a page of the test.
import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import WebSocket, { WebSocketServer } from 'ws'

import { buildTools, createRegistry } from '../../index.js'
import { startSimulator } from '../../simulator/src/index.js'
import { eventually } from '../support/gate.mjs'
import { filesOfPage } from '../support/page.mjs'
import { project } from '../support/project.mjs'
import { afterTest } from '../support/tool-set.mjs'

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const REFUND = `
import { appendFileSync } from 'node:fs'
import { defineTool, success } from 'toolgate'
import { z } from 'zod'

export default defineTool({
  description: 'Refund an order to its customer. Use it only when the user asks for a refund.',
  sideEffects: 'writes',
  confirmation: { preview: 'Refund order {number}' },
  parameters: z.object({ number: z.string().max(20).describe('The number of the order.') }),
  execute({ args }) {
    appendFileSync('ledger.txt', args.number + '\\n')
    return success({ refunded: args.number })
  },
})
`
const says = (word, ...emit) => ({ when: { user: { contains: word } }, steps: [{ emit }] })
/** On the first connection only. */
const once = (word, ...emit) => ({ when: { user: { contains: word }, connection: 1 }, steps: [{ emit }] })
const SCENARIO = {
  settings: { label: '', listenMs: 300 },
  rules: [
    says('result of `refund_order`', { say: 'It is refunded.' }),
    says('did not approve', { say: 'Nothing was refunded.' }),
    {
      when: { user: { contains: 'refund' } },
      steps: [
        { emit: [{ call: { name: 'refund_order', args: { number: 'A-17' } } }] },
        { emit: [{ say: 'Shall I refund order A-17?' }] },
      ],
    },
    says('hello', { say: 'Hello.' }),
    says('story', { say: 'Once upon a time' }, { interrupt: true }),
    once('away', { goAway: { timeLeft: '1s' } }),
    once('break', { disconnect: true }),
    { when: 'always', steps: [{ emit: [{ say: 'Yes?' }] }] },
  ],
}
/** 200 ms of noise and a second of silence: an utterance for both services. */
const SPEECH = Buffer.concat([Buffer.alloc(9600, 'ab'), Buffer.alloc(48_000)])

/** The files of the page, with the simulator as the provider; `transcripts`: what the user says, by utterance. */
async function startServer(provider, transcripts) {
  const sim = await startSimulator({ scenario: { ...SCENARIO, audio: { transcripts } } })
  afterTest(() => sim.close())
  return { sim, ...(await startOn(sim.url, provider)) }
}

/** The files of the page. @param {string} providerUrl @param {string} provider */
async function startOn(providerUrl, provider) {
  const { home, tools, write } = project()
  for (const name of ['ws', '@google'])
    symlinkSync(path.join(MODULES, name), path.join(home, 'node_modules', name), 'dir')
  const files = filesOfPage('docs/voice.md')
  expect(Object.keys(files)).toEqual(['server.mjs', 'call.mjs', 'gemini.mjs', 'openai.mjs'])
  for (const [name, text] of Object.entries(files))
    write(name, text.replace("from './gemini.mjs'", `from './${provider}.mjs'`))
  write('tools/refund_order/tool.js', REFUND)
  expect(await buildTools({ toolsDir: tools, outDir: tools })).toMatchObject({ ok: true, diagnostics: [] })
  const keys = { GEMINI_API_KEY: 'any', OPENAI_API_KEY: 'any' }
  const urls = { GOOGLE_GEMINI_BASE_URL: providerUrl, OPENAI_BASE_URL: `${providerUrl}/v1` }
  const env = { PATH: process.env.PATH, PORT: '0', ...keys, ...urls }
  const child = spawn(process.execPath, ['server.mjs'], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  let errors = ''
  child.stdout.on('data', text => (printed += text))
  child.stderr.on('data', text => (errors += text))
  afterTest(async () => {
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  })
  await eventually(() => printed.includes('ws://'), 'the server listens', 20_000)
  const url = /ws:\/\/[^"\s]+/.exec(printed)[0]
  const ledger = () => {
    try {
      return readFileSync(path.join(home, 'ledger.txt'), 'utf8')
    } catch {
      return ''
    }
  }
  return { home, tools, url, ledger, errors: () => errors }
}

/**
 * A service that says only what the test says.
 * @param {{ onConnection?: (socket: WebSocket) => void, isHeld?: boolean }} [options] `isHeld`: a connection waits until it is accepted
 */
async function startModel({ onConnection = () => {}, isHeld = false } = {}) {
  let hold
  const asked = new Promise(resolve => (hold = resolve))
  const verifyClient = (_request, done) => (isHeld ? hold(() => done(true)) : done(true))
  const service = new WebSocketServer({ host: '127.0.0.1', port: 0, verifyClient })
  const sockets = []
  service.on('connection', socket => (sockets.push(socket), onConnection(socket)))
  await new Promise(resolve => service.once('listening', resolve))
  const close = () => new Promise(resolve => service.close(resolve))
  afterTest(() => (sockets.forEach(socket => socket.terminate()), service.close()))
  return { url: `http://127.0.0.1:${service.address().port}`, sockets, asked, close }
}

/** The user's page: collects what it gets. */
async function openPage({ url, errors }) {
  const socket = new WebSocket(`${url}?session=call-1`)
  const frames = []
  let audioBytes = 0
  socket.on('message', (data, isBinary) => {
    if (isBinary) audioBytes += data.length
    else frames.push(JSON.parse(data))
  })
  const closed = new Promise(resolve => socket.once('close', resolve))
  await new Promise(resolve => socket.once('open', resolve))
  afterTest(() => socket.terminate())
  const frame = async type => {
    const found = () => frames.find(one => one.type === type)
    await eventually(found, `a frame ${type}; ${errors()}`)
    return found()
  }
  return { socket, frames, frame, closed, audioBytes: () => audioBytes, send: one => socket.send(JSON.stringify(one)) }
}

/** What the server has sent to the model, besides audio. */
const toldTexts = sim =>
  sim.received.flatMap(({ json }) => {
    const turns = json?.clientContent?.turns ?? []
    const content = json?.item?.content ?? []
    return [...turns.flatMap(({ parts }) => parts.map(({ text }) => text)), ...content.map(({ text }) => text ?? '')]
  })
const whenTold = (server, text) =>
  eventually(
    () => toldTexts(server.sim).some(told => told.includes(text)),
    `the model hears \`${text}\`; ${server.errors()}`,
  )

/** Speaks one utterance, which the service has then heard. */
async function speak(server, page) {
  await page.frame('ready')
  const heard = server.sim.received.length
  page.socket.send(SPEECH)
  await eventually(() => server.sim.received.slice(heard).some(isSpeech), 'speech arrives')
}
const isSpeech = ({ json }) => json?.realtimeInput !== undefined || json?.type === 'input_audio_buffer.append'

/** The model speaks, and has asked about a confirmation. */
async function asked(server) {
  const page = await openPage(server)
  await speak(server, page)
  const { token } = await page.frame('confirmation')
  await eventually(() => page.audioBytes() > 0 && isAtRest(server.sim), 'the model has asked')
  return { page, token }
}
const isAtRest = ({ live, realtime }) =>
  [...live.connections, ...realtime.connections].some(({ sent }) => {
    const last = sent.findLast(frame => frame.serverContent || frame.type?.startsWith('response.'))
    return last?.serverContent?.turnComplete === true || last?.type === 'response.done'
  })

const PROVIDERS = ['gemini', 'openai']

describe.each(PROVIDERS)('%s', provider => {
  test('the model is heard, and a confirmation on the page runs the call once', async () => {
    const server = await startServer(provider, ['hello', 'refund it'])
    const page = await openPage(server)
    await speak(server, page)
    await eventually(() => page.audioBytes() > 0 && isAtRest(server.sim), `audio; ${server.errors()}`)
    await speak(server, page)
    const { token, preview } = await page.frame('confirmation')
    expect([preview, server.ledger()]).toEqual(['Refund order A-17', ''])
    page.socket.send('{"type":"confirm"')
    page.send({ type: 'confirm', token: 'tgc_forged' })
    page.send({ type: 'confirm', token })
    page.send({ type: 'confirm', token })
    expect(await page.frame('confirmationClosed')).toEqual({ type: 'confirmationClosed', token, outcome: 'confirmed' })
    await whenTold(server, '"refunded":"A-17"')
    expect(server.ledger()).toBe('A-17\n')
  })
  test.each([
    ['Yes.', 'confirmed', '"refunded":"A-17"', 'A-17\n'],
    ['No thanks', 'denied', 'did not approve', ''],
  ])('a spoken %j answers, once the model has asked', async (word, outcome, told, ran) => {
    const server = await startServer(provider, ['refund it', word])
    const { page, token } = await asked(server)
    await speak(server, page)
    expect(await page.frame('confirmationClosed')).toEqual({ type: 'confirmationClosed', token, outcome })
    await whenTold(server, told)
    expect(server.ledger()).toBe(ran)
  })

  test('another word answers nothing, and the text chat of another process does', async () => {
    const server = await startServer(provider, ['refund it', 'yes but hello first'])
    const { page, token } = await asked(server)
    await speak(server, page)
    const registry = await createRegistry({
      artifact: path.join(server.tools, 'tool_registry.json'),
      store: { file: path.join(server.home, 'sessions.sqlite') },
      audit: 'none',
    }).load()
    afterTest(() => registry.close())
    const chat = await registry.createSession({ sessionId: 'call-1', principal: 'user-17', mode: 'text' })
    const pending = await chat.listPending()
    expect(pending.map(one => one.token)).toEqual([token])
    const cwd = process.cwd()
    process.chdir(server.home)
    const done = await chat.confirm(token).finally(() => process.chdir(cwd))
    expect(done.data).toEqual({ refunded: 'A-17' })
    expect(await page.frame('confirmationClosed')).toEqual({ type: 'confirmationClosed', token, outcome: 'elsewhere' })
    await whenTold(server, '"refunded":"A-17"')
    expect(server.ledger()).toBe('A-17\n')
  })

  test('a page that comes back gets the card that still waits', async () => {
    const server = await startServer(provider, ['refund it'])
    const { page, token } = await asked(server)
    page.socket.close()
    await page.closed
    const again = await openPage(server)
    expect((await again.frame('confirmation')).token).toBe(token)
    again.send({ type: 'deny', token })
    expect((await again.frame('confirmationClosed')).outcome).toBe('denied')
    expect(server.ledger()).toBe('')
  })

  test('a service that refuses the connection is asked once, and the page is closed', async () => {
    const model = await startModel({ onConnection: socket => socket.close(1008, 'the key is not valid') })
    const server = await startOn(model.url, provider)
    const page = await openPage(server)
    expect(await page.closed).toBe(1011)
    expect(model.sockets).toHaveLength(1)
  })

  test('a service that cannot be reached ends the connection of the page', async () => {
    const model = await startModel()
    await model.close()
    const page = await openPage(await startOn(model.url, provider))
    expect(await page.closed).toBe(1011)
  })

  test('the model is left if the page has left while it was connected', async () => {
    const onConnection = socket => socket.once('message', () => socket.send('{"setupComplete":{}}'))
    const model = await startModel({ onConnection, isHeld: true })
    const page = await openPage(await startOn(model.url, provider))
    const accept = await model.asked
    page.socket.close()
    await page.closed
    accept()
    await eventually(() => model.sockets.length === 1 && model.sockets[0].readyState === WebSocket.CLOSED, 'it is left')
  })

  test('the page stops playing when the user speaks over the model', async () => {
    const server = await startServer(provider, ['story', 'hello'])
    const page = await openPage(server)
    await speak(server, page)
    await page.frame('interrupted')
  })
})

test.each(['away', 'break'])('Gemini: after `%s` the conversation continues on a new connection', async word => {
  const server = await startServer('gemini', [word, 'hello'])
  const page = await openPage(server)
  await speak(server, page)
  await server.sim.live.whenConnected(2)
  await eventually(() => server.sim.live.connections[1].setup, 'the setup')
  const { handle } = server.sim.live.connections[1].setup.sessionResumption
  expect(handle).toMatch(/^simulator-session/)
  await speak(server, page)
  await eventually(() => page.audioBytes() > 0, `audio; ${server.errors()}`)
  expect(page.frames.filter(({ type }) => type === 'ready')).toHaveLength(1)
})

test('OpenAI: a lost conversation ends the connection of the page, which calls again', async () => {
  const server = await startServer('openai', ['break', 'hello'])
  const page = await openPage(server)
  await speak(server, page)
  expect(await page.closed).toBe(1011)
  const again = await openPage(server)
  await speak(server, again)
  await eventually(() => again.audioBytes() > 0, `audio; ${server.errors()}`)
})
