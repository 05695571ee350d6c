// A voice server is killed in the middle of a call, and the page returns to another process on the same store: of one that its user
// confirms, and of a write that is not asked about. Nothing happens twice or without a yes, and page and model hear what became of it.
import { fork } from 'node:child_process'
import { readFileSync, existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { startSimulator } from '../../simulator/src/index.js'
import { FaultyWay } from '../../voice-server/test/scenarios/faulty-way.js'
import { History } from '../../voice-server/test/scenarios/history.js'
import { SURFACES } from '../../voice-server/test/scenarios/surfaces.js'
import { VoiceClient } from '../../voice-server/test/support/voice-client.js'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { afterTest, toolSet } from '../support/tool-set.mjs'

const WORKER = fileURLToPath(new URL('./voice-worker.mjs', import.meta.url))
const { rules } = JSON.parse(
  readFileSync(new URL('../../voice-server/test/scenarios/model.json', import.meta.url), 'utf8'),
)
const KEY = 'milk'
const PATIENCE_MS = 60_000
const isResult = ({ type, errorType }) => type === 'toolResult' && errorType !== 'CONFIRMATION_REQUIRED'

/** Where the process is killed → what its page hears of the call then: its outcome, or the question once more. */
const PLACES = {
  call: 'asked',
  confirmation: 'asked',
  run: 'unknown',
  ended: 'unknown',
  audit: 'committed',
}

/** The same for a write that is not asked about: `ended`, its effect is there; `audit`, it is recorded. */
const PLACES_UNASKED = { run: 'unknown', ended: 'unknown', audit: 'committed' }

/** The model, the page and the processes of one call. */
class Call {
  history = new History()

  /** @param {boolean} isAsked whether its user confirms it */
  static async begin(store, surface, place, isAsked) {
    const call = Object.assign(new Call(), { surface, place })
    const { folder, artifact } = await toolSet({
      note_save: {
        kind: 'write',
        properties: { text: { type: 'string' } },
        required: ['text'],
        requiresConfirmation: isAsked,
        lintAccepted: ['writes-without-confirmation'],
        allowedModes: ['voice', 'text'],
      },
    })
    call.sim = await startSimulator({
      scenario: { name: 'killed', settings: { label: '', pieceChars: 4000, toneMs: 20 }, rules },
    })
    afterTest(() => call.sim.close())
    call.way = new FaultyWay({ surface: SURFACES[surface], fault: { kind: 'none' }, history: call.history })
    const providerUrl = await call.way.start()
    afterTest(() => call.way.close())
    call.way.target = call.sim.url
    call.effects = path.join(folder, 'effects.log')
    const file = path.join(folder, 'sessions.sqlite')
    call.orders = {
      artifact,
      store: { ...(store ?? { file }), leaseMs: 400 },
      effects: call.effects,
      surface,
      providerUrl,
      resumeSecret: 'a secret of at least thirty-two bytes',
    }
    return call
  }

  /** Starts a voice server. @param {string} [holds] the place at which its handler waits */
  async start(holds) {
    const child = fork(WORKER, [JSON.stringify({ ...this.orders, holds })], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const ended = new Promise(resolve => child.once('close', resolve))
    afterTest(() => (child.kill('SIGKILL'), ended))
    const url = new Promise(resolve =>
      child.on('message', ({ url: listening, place, audit }) => {
        if (listening !== undefined) resolve(listening)
        if (place !== undefined) this.history.add('place', { place })
        if (audit?.event === 'tool_execution') this.history.add('place', { place: 'audit' })
        if (audit?.event === 'result_delivered') this.history.add('place', { place: 'delivered' })
      }),
    )
    this.kill = async () => (child.kill('SIGKILL'), await ended)
    return url
  }

  async open(url, credentials, attempts = 5) {
    const client = await VoiceClient.open(url)
    afterTest(() => client.socket.terminate())
    client.socket.on('message', (data, isBinary) => isBinary || this.history.add('shown', JSON.parse(data.toString())))
    client.send({ type: 'start', ...credentials })
    this.client = client
    const answer = await client.next(({ type, code }) => type === 'started' || code === 'internal')
    // The store of a busy machine may not have answered in time: a page starts again.
    if (answer.type !== 'started' && attempts > 1) return this.open(url, credentials, attempts - 1)
    const { sessionId, resumeToken } = answer
    return { sessionId, resumeToken }
  }

  async until(holds, what) {
    if (await this.history.until(holds, PATIENCE_MS)) return
    throw new Error(`${this.surface}, ${this.place}: ${what} did not come: ${JSON.stringify(this.history.entries)}`)
  }

  get card() {
    return this.history.of('shown').findLast(({ type }) => type === 'confirmation')
  }

  get taken() {
    return existsSync(this.effects) ? readFileSync(this.effects, 'utf8').split('\n').filter(Boolean) : []
  }

  /** What the model got from a moment on. */
  heardByModel(from) {
    return JSON.stringify(this.sim.received.slice(from).map(({ json }) => json))
  }

  confirm() {
    this.client.send({ type: 'confirm', token: this.card.request.token })
  }
}

/**
 * @param {object | undefined} store @param {string} surface @param {string} place
 * @param {boolean} repeats the page sends its answer again: who has spoken, or pressed a key, has none to send
 */
async function killedAt(store, surface, place, repeats) {
  const call = await Call.begin(store, surface, place, true)
  const { history } = call
  const credentials = await call.open(await call.start(place))
  call.client.say(`save ${KEY}`)
  const isReached = () => history.of('place').some(entry => entry.place === place)
  if (place === 'call') await call.until(() => history.of('call').length > 0, 'the call')
  else await call.until(() => call.card, 'the question')
  if (PLACES[place] !== 'asked') {
    call.confirm()
    await call.until(isReached, place)
  }
  await call.kill()
  const before = call.taken
  expect(before).toEqual(PLACES[place] === 'asked' || place === 'run' ? [] : [KEY])
  const token = call.card?.request.token
  history.entries.length = 0
  const from = call.sim.received.length
  await call.open(await call.start(), credentials)
  if (PLACES[place] === 'asked') {
    // The page has not confirmed: it is asked, about the call that waits or about the one that it asks for again.
    if (place === 'call') call.client.say(`save ${KEY}`)
    await call.until(() => call.card, 'the question')
    if (token !== undefined) expect(call.card.request.token).toBe(token)
    expect(call.taken).toEqual([])
    call.confirm()
  } else if (repeats) call.client.send({ type: 'confirm', token })
  await call.until(() => history.of('shown').some(isResult), 'the outcome')
  const isNote = text => /The user confirmed|The result of `note_save`/.test(text)
  await call.until(() => isNote(call.heardByModel(from)), 'a note to the model')
  const isAnswered = repeats || PLACES[place] === 'asked'
  const closed = () => history.of('shown').filter(({ type }) => type === 'confirmationClosed')
  if (isAnswered) await call.until(() => closed().length > 0, 'the end of the card')
  const results = history.of('shown').filter(isResult)
  // A call that the model has made again has a result of its own.
  expect(new Set(results.map(({ id }) => id)).size).toBe(results.length)
  const [{ ok, errorType }] = results
  expect(closed().map(({ outcome }) => outcome)).toEqual(isAnswered ? ['confirmed'] : [])
  if (PLACES[place] === 'unknown') {
    expect([ok, errorType, call.taken]).toEqual([false, 'CONFLICT', before])
    expect(call.heardByModel(from)).toMatch(/is not known|unknown/)
  } else {
    expect([ok, call.taken]).toEqual([true, [KEY]])
    expect(call.heardByModel(from)).toMatch(/It has run|ok\W+true/)
  }
}

/** @param {object | undefined} store @param {string} surface @param {string} place */
async function killedUnasked(store, surface, place) {
  const call = await Call.begin(store, surface, place, false)
  const { history } = call
  const credentials = await call.open(await call.start(place))
  call.client.say(`save ${KEY}`)
  await call.until(() => history.of('place').some(entry => entry.place === place), place)
  await call.kill()
  const before = call.taken
  expect(before).toEqual(place === 'run' ? [] : [KEY])
  history.entries.length = 0
  const from = call.sim.received.length
  await call.open(await call.start(), credentials)
  await call.until(() => history.of('shown').some(isResult), 'the outcome')
  await call.until(() => history.of('place').some(entry => entry.place === 'delivered'), 'that the model has it')
  await call.kill()
  // A third process has nothing more to say of it; what the user says there comes after all that is owed.
  await call.open(await call.start(), credentials)
  call.client.say('hello again')
  await call.until(() => call.heardByModel(from).includes('hello again'), 'what the user said next')
  const results = history.of('shown').filter(isResult)
  expect(results).toHaveLength(1)
  const [{ ok, errorType }] = results
  expect([ok, errorType, call.taken]).toEqual(
    PLACES_UNASKED[place] === 'unknown' ? [false, 'CONFLICT', before] : [true, undefined, [KEY]],
  )
  const isNote = ({ json }) => JSON.stringify(json).includes('The result of `note_save`')
  expect(call.sim.received.slice(from).filter(isNote)).toHaveLength(1)
}

const STORES = {
  file: [test, async () => undefined],
  redis: [hasRedis ? test : test.skip, async () => ({ redis: (await RedisServer.start()).url })],
  postgres: [hasPostgres ? test : test.skip, async () => ({ postgres: (await PostgresServer.start()).url })],
}
const surfaces = Object.keys(SURFACES)
let turn = 0
for (const [name, [testThere, open]] of Object.entries(STORES))
  for (const place of Object.keys(PLACES_UNASKED)) {
    const surface = surfaces[(turn += 1) % surfaces.length]
    testThere(
      `${name}, ${surface}: a voice server that is killed at \`${place}\` of a write that is not asked about`,
      async () => killedUnasked(await open(), surface, place),
    )
  }
for (const [name, [testThere, open]] of Object.entries(STORES))
  for (const place of Object.keys(PLACES)) {
    const surface = surfaces[(turn += 1) % surfaces.length]
    const repeats = turn % 2 === 0
    testThere(
      `${name}, ${surface}: a voice server that is killed at \`${place}\`, and a page that ${repeats ? 'answers again' : 'waits'}`,
      async () => killedAt(await open(), surface, place, repeats),
    )
  }
