// The provider's connection is renewed: the old one is heard until it closes, and the next one opens after that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersOf, fakeGemini, toolCall } from './support/fake-services.js'
import { silence, startFixture } from './support/fixture.js'

const isReconnected = ({ type, provider }) => type === 'state' && provider === 'reconnected'
const said = text => ({ serverContent: { outputTranscription: { text } } })
const END = { serverContent: { turnComplete: true } }

async function startWith(t, service, handlers = { quick_read: async () => ({ ok: true, data: { found: 'a door' } }) }) {
  return startFixture(t, { rules: [], handlers, server: service.settings })
}

test('the next connection opens once the old one has closed, as a service may refuse two', async t => {
  const service = await fakeGemini(t, { isAlone: true })
  const { start, logger } = await startWith(t, service)
  const client = await start()
  const [first] = service.connections
  first.emit({ goAway: { timeLeft: '50s' } })
  await client.next(isReconnected)
  assert.deepEqual([service.connections.length, service.refused], [2, []])
  assert.equal(service.connections[1].got[0].setup.sessionResumption.handle, 'h1')
  client.send(silence(100))
  await service.connections[1].whenGot(({ realtimeInput }) => realtimeInput?.audio)
  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('what the service sends until the old connection closes is said, and its calls run', async t => {
  const ran = []
  const quick_read = async () => (ran.push('quick_read'), { ok: true, data: { found: 'a door' } })
  const service = await fakeGemini(t, { isAlone: true })
  const { start } = await startWith(t, service, { quick_read })
  const client = await start()
  const [first] = service.connections
  // The service does not read that the voice server leaves.
  first.socket.pause()
  first.emit({ goAway: { timeLeft: '50s' } })
  await new Promise(resolve => setTimeout(resolve, 50))
  first.emit({ serverContent: { inputTranscription: { text: 'look' } } })
  first.emit(said('I look.'))
  first.emit(toolCall({ id: 'late-1', name: 'quick_read' }))
  await client.next(({ type, text }) => type === 'transcript' && text === 'I look.')
  assert.equal((await client.next('toolResult')).ok, true)
  assert.deepEqual([ran, service.connections.length], [['quick_read'], 1])
  first.socket.resume()
  await client.next(isReconnected)
  const [, second] = service.connections
  await second.whenGot(frame => JSON.stringify(frame).includes('a door'))
  assert.deepEqual(ran, ['quick_read'])
})

test('a service that never closes the old connection is not waited for', async t => {
  const service = await fakeGemini(t)
  const { start } = await startWith(t, service)
  const client = await start()
  service.connections[0].socket.pause()
  service.connections[0].emit({ goAway: { timeLeft: '50s' } })
  await client.next(isReconnected)
  assert.equal(service.connections.length, 2)
})

test('a handle that is empty, or of another kind, replaces none', async t => {
  const service = await fakeGemini(t)
  const { start } = await startWith(t, service)
  const client = await start()
  const [first] = service.connections
  for (const newHandle of ['', null, 5, {}]) first.emit({ sessionResumptionUpdate: { newHandle, resumable: true } })
  first.emit({ sessionResumptionUpdate: { newHandle: 'h2', resumable: false } })
  first.emit({ goAway: { timeLeft: '50s' } })
  await client.next(isReconnected)
  assert.equal(service.connections[1].got[0].setup.sessionResumption.handle, 'h1')
})

test('a page that returns, and one that takes over, get their connection after the old one has closed', async t => {
  const service = await fakeGemini(t, { isAlone: true })
  const { start } = await startWith(t, service)
  const first = await start()
  const { sessionId, resumeToken } = first.started
  const second = await start({ sessionId, resumeToken })
  assert.equal((await first.closed).code, 4001)
  second.socket.terminate()
  const third = await start({ sessionId, resumeToken })
  assert.deepEqual([second.started.resumed, third.started.resumed, service.refused], [true, true, []])
})

test('an answer that was under way when the connection was left is given on the next one, once', async t => {
  let release
  const slow_read = () => new Promise(resolve => (release = () => resolve({ ok: true, data: { found: 'a door' } })))
  const service = await fakeGemini(t, { isAlone: true })
  const { start } = await startWith(t, service, { slow_read })
  const client = await start()
  const [first] = service.connections
  first.emit({ serverContent: { inputTranscription: { text: 'look' } } })
  first.emit(toolCall({ id: 'slow-1', name: 'slow_read' }))
  await client.next('toolCall')
  first.emit({ goAway: { timeLeft: '0.2s' } })
  await client.next(isReconnected)
  release()
  const [, second] = service.connections
  const isAbout = frame => JSON.stringify(frame).includes('a door')
  await second.whenGot(isAbout)
  second.emit(said('A door.'))
  second.emit(END)
  await client.next('turnComplete')
  assert.deepEqual([answersOf(first).length, second.got.filter(isAbout).length], [0, 1])
})
