// The demo's source, as `npm start` has it without a key: asked for in a call, confirmed, and done by its server.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startSimulator } from 'toolgate-simulator'
import { buildDemo } from '../../scripts/demo-tools.mjs'
import { createVoiceServer } from '../server.js'
import { recordingLogger } from './support/fixture.js'
import { VoiceClient } from './support/voice-client.js'

/** Its file is the test's own; the rest is that of the demo. */
async function sourcesWith(folder, file) {
  const { transport, ...source } = JSON.parse(await readFile(join(folder, 'lights.json'), 'utf8'))
  return {
    lights: { ...source, transport: { ...transport, args: [transport.args[0], file], cwd: join(folder, '..') } },
  }
}

test('the lights are listed, and set once their user has confirmed it', async t => {
  const home = await mkdtemp(join(tmpdir(), 'toolgate-demo-'))
  const { TOOLGATE_ARTIFACT: artifact, TOOLGATE_SOURCES: folder } = await buildDemo(home)
  const file = join(home, 'lights.json')
  const sim = await startSimulator()
  const server = await createVoiceServer({
    artifact,
    sources: await sourcesWith(folder, file),
    gemini: { apiKey: 'any', baseUrl: sim.url },
    allowAnonymous: true,
    audit: 'none',
    logger: recordingLogger(),
  })
  const client = await VoiceClient.start(server.url)
  t.after(async () => {
    client.socket.terminate()
    await server.close()
    await sim.close()
    await rm(home, { recursive: true })
  })

  client.say('which lights are on?')
  await client.next('turnComplete')
  assert.match(client.said(), /studio 80 percent, workshop off, kitchen 30 percent/)

  client.say('dim the lights in the kitchen to 40 percent')
  const { request } = await client.next('confirmation')
  assert.deepEqual([request.tool, request.args], ['lights_set', { room: 'kitchen', brightness: 40 }])
  assert.equal(request.preview, 'Set the light in the kitchen to 40 percent')
  client.send({ type: 'confirm', token: request.token })
  const { ok, name, data } = await client.next(frame => frame.type === 'toolResult' && frame.ok)
  assert.deepEqual([ok, name, data], [true, 'lights_set', { room: 'kitchen', brightness: 40 }])
  await client.next(() => /Done: kitchen 40 percent/.test(client.said()))
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { studio: 80, workshop: 0, kitchen: 40 })
  assert.deepEqual([client.ofType('error'), sim.anomalies], [[], []])
})
