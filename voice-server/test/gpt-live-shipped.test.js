// GPT-Live with the shipped tools and the simulator's own scenario, as `npm start` has it without a key: typed and spoken.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createRegistry, shippedTools } from 'toolgate'
import { startSimulator } from 'toolgate-simulator'
import { embeddedServices } from 'toolgate/tools/_services/embedded.js'
import { createVoiceServer } from '../server.js'
import { recordingLogger } from './support/fixture.js'
import { VoiceClient } from './support/voice-client.js'

async function startShipped(t) {
  const sim = await startSimulator()
  const calendarFolder = await mkdtemp(join(tmpdir(), 'toolgate-calendar-'))
  const registry = createRegistry({ artifact: shippedTools, audit: 'none', strayErrors: 'report' })
  const server = await createVoiceServer({
    registry,
    services: await embeddedServices({ calendarFolder, registry: () => registry }),
    gptLive: { apiKey: 'any', baseUrl: `${sim.url}/v1` },
    allowAnonymous: true,
    logger: recordingLogger(),
  })
  const client = await VoiceClient.start(server.url, { timeZone: 'Europe/Berlin' })
  t.after(async () => {
    client.socket.terminate()
    await server.close()
    await registry.close()
    await sim.close()
    await rm(calendarFolder, { recursive: true })
  })
  return { sim, client, model: await sim.gptLive.whenConnected(1) }
}

for (const way of ['typed', 'spoken'])
  test(`${way}: a search and a meeting that its user confirms`, async t => {
    const { sim, client, model } = await startShipped(t)
    const ask = text => (way === 'typed' ? client.say(text) : model.hear(text))
    ask('summarize our vacation policy')
    const found = await client.next('toolResult')
    assert.deepEqual([found.name, found.ok], ['kb_search', true])
    await client.next('turnComplete')
    ask('book a meeting with bob@example.com tomorrow at 3pm')
    const { request, readBack } = await client.next('confirmation')
    assert.deepEqual([request.tool, request.args.attendees], ['calendar_create_event', ['bob@example.com']])
    assert.match(readBack, /bob/)
    client.send({ type: 'confirm', token: request.token })
    const booked = await client.next(({ type, ok }) => type === 'toolResult' && ok)
    assert.deepEqual(
      [booked.name, booked.data.attendees ?? request.args.attendees],
      [request.tool, request.args.attendees],
    )
    await client.next('turnComplete')
    assert.match(client.said(), /bob|meeting|booked|calendar/i)
    assert.deepEqual([client.ofType('error'), sim.anomalies], [[], []])
  })
