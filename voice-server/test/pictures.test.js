// Pictures of the client's camera and screen: from a frame to the tools of its session, and what is refused. And which services
// of the tools a program has by its settings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSimulator } from 'toolgate-simulator'
import { createFrameStore } from 'toolgate/tools/_services/vision-frames.js'
import { call, on, say, startFixture } from './support/fixture.js'
import { startProgram } from './support/program.js'
import { VoiceClient } from './support/voice-client.js'

// A PNG of one pixel.
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const KEY = 'sk-voice-Zq84'
const look = on('look', [call('capture_webcam_snapshot', {})], [say('{{result.data.analysis}}')])

async function looks(client) {
  client.say('look')
  return client.next('toolResult')
}

test('a picture reaches the tools of its own session, until the user switches the camera off', async t => {
  const analyzed = []
  const analyze = async ({ kind, bytes }) => (analyzed.push([kind, Buffer.from(bytes).toString('base64')]), 'a red cup')
  const vision = createFrameStore({ analyze })
  const { start } = await startFixture(t, { rules: [look], server: { services: { vision } } })
  const [client, other] = [await start(), await start()]
  client.send({ type: 'picture', kind: 'webcam', data: PIXEL })
  assert.equal((await looks(client)).ok, true)
  assert.deepEqual(analyzed, [['webcam', PIXEL]])
  assert.match((await looks(other)).message, /no picture of the camera has arrived/)
  client.send({ type: 'pictureOff', kind: 'webcam' })
  await client.next('turnComplete')
  assert.match((await looks(client)).message, /the camera is off/)
})

test("the services of the host's registry take pictures, and the prompt tells of the tools that need them", async t => {
  const vision = createFrameStore({ analyze: async () => 'a red cup' })
  const registry = { services: { vision, kb: { search: async () => [] } } }
  const { sim, start } = await startFixture(t, { rules: [look], registry, server: { services: undefined } })
  const client = await start()
  const { setup } = await sim.live.whenConnected()
  const prompt = setup.systemInstruction.parts.map(({ text }) => text).join('')
  const declared = setup.tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name))
  for (const name of ['capture_webcam_snapshot', 'kb_search']) {
    assert.ok(declared.includes(name), name)
    assert.ok(prompt.includes(name), name)
  }
  assert.ok(!declared.includes('find_slots') && !prompt.includes('find_slots'))
  client.send({ type: 'picture', kind: 'webcam', data: PIXEL })
  assert.equal((await looks(client)).ok, true)
  client.send({ type: 'end' })
  await client.closed
  assert.equal(await vision.latest(client.started.sessionId, 'webcam'), null)
})

test('what is no picture, and a host that takes none', async t => {
  const { start } = await startFixture(t, { rules: [], server: { services: { vision: createFrameStore() } } })
  const client = await start()
  const refusals = [
    [{ type: 'picture', kind: 'webcam', data: Buffer.from('<html>').toString('base64') }, 'bad_picture'],
    [{ type: 'picture', kind: 'webcam', data: '%%' }, 'bad_picture'],
    [{ type: 'picture', kind: 'ear', data: PIXEL }, 'bad_frame'],
    [{ type: 'picture', kind: 'webcam' }, 'bad_frame'],
    [{ type: 'pictureOff' }, 'bad_frame'],
  ]
  for (const [frame, code] of refusals) {
    client.send(frame)
    assert.equal((await client.next('error')).code, code, JSON.stringify(frame))
  }
  const { start: startBlind } = await startFixture(t, { rules: [], server: { services: {} } })
  const blind = await startBlind()
  blind.send({ type: 'picture', kind: 'webcam', data: PIXEL })
  assert.equal((await blind.next('error')).code, 'no_pictures')
})

test('the end of a session forgets its pictures', async t => {
  const vision = createFrameStore()
  const { start } = await startFixture(t, { rules: [], server: { services: { vision } } })
  const client = await start()
  client.send({ type: 'picture', kind: 'screen', data: PIXEL })
  client.send({ type: 'end' })
  await client.closed
  assert.equal(await vision.latest(client.started.sessionId, 'screen'), null)
})

/** A simulator that speaks to the voice, writes drafts and describes pictures. */
async function everything(t) {
  const draft = JSON.stringify({ preview: 'Ada calls.' })
  const rules = [
    look,
    on('sum up', [call('generate_summary_preview', { text: 'Ada calls Tom.' })], [say('{{result.data.model}}')]),
    { when: { user: { contains: 'generate_summary_preview' } }, steps: [{ emit: [{ say: draft }] }] },
    { when: { user: { contains: 'picture of the user' } }, steps: [{ emit: [{ say: 'a red cup' }] }] },
  ]
  const sim = await startSimulator({ scenario: { settings: { label: '' }, rules } })
  t.after(() => sim.close())
  return sim
}

test('the program with a key: its tools use the provider, and one line says what serves', async t => {
  const sim = await everything(t)
  const { url, log } = await startProgram(t, {
    OPENAI_API_KEY: KEY,
    TOOLGATE_OPENAI_BASE_URL: `${sim.url}/v1`,
    TOOLGATE_VOICE_PROVIDER: 'openai',
    TOOLGATE_AUDIT: 'none',
  })
  const { real, simulated, absent } = JSON.parse(log.find(line => line.includes('services of the tools')))
  assert.deepEqual(real, { llm: 'OpenAI, gpt-6.1-terra', frameAnalysis: 'OpenAI, gpt-6.1-terra' })
  assert.deepEqual(
    [Object.keys(simulated), Object.keys(absent)],
    [
      ['search', 'kb', 'calendar'],
      ['image', 'dashboard'],
    ],
  )
  const client = await VoiceClient.start(url)
  client.send({ type: 'picture', kind: 'webcam', data: PIXEL })
  client.say('look')
  assert.equal((await client.next('toolResult')).ok, true)
  assert.match(await client.answer(), /a red cup/)
  client.say('sum up')
  assert.match(await client.answer(), /gpt-6.1-terra/)
  assert.equal(
    log.some(line => line.includes(KEY)),
    false,
  )
})

test('the program without a key', async t => {
  const { log } = await startProgram(t, { TOOLGATE_AUDIT: 'none' })
  const { real, simulated, absent } = JSON.parse(log.find(line => line.includes('services of the tools')))
  assert.deepEqual(real, {})
  assert.deepEqual(
    [Object.keys(simulated), Object.keys(absent)],
    [
      ['llm', 'search', 'kb', 'calendar'],
      ['frameAnalysis', 'image', 'dashboard'],
    ],
  )
})
