// Recorded frames: of real SDKs, and of the real Live service.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { simulate } from './simulate.mjs'

const CORPUS = process.env.TOOLGATE_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))
const present = existsSync(CORPUS)
if (!present) console.log('corpus not found (TOOLGATE_CORPUS); its tests are skipped')

function linesOf(file) {
  return readFileSync(`${CORPUS}/${file}`, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}

async function openAt(t, sim, path) {
  const socket = new WebSocket(sim.url.replace('http', 'ws') + path)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

/** Sends frames one after another; gives the close reason if the simulator refused one, else null. */
async function refusalOf(socket, sim, frames) {
  const refused = once(socket, 'close').then(([code, reason]) => `${code} ${reason}`)
  for (const frame of frames) socket.send(JSON.stringify(frame))
  const accepted = sim
    .whenReceived(({ seq }) => seq === frames.length)
    .then(async () => {
      // a refusal of the last frame is on its way by now, and comes before the answer to a ping
      socket.ping()
      await once(socket, 'pong')
      return socket.readyState === WebSocket.OPEN ? null : refused
    })
  return Promise.race([refused, accepted])
}

for (const version of ['2.32.0', '3.1.0']) {
  test(`@google/genai ${version}: path and frames are accepted`, { skip: !present }, async t => {
    const lines = linesOf(`wire/genai-live-${version}.jsonl`)
    const sim = await simulate(t, { rules: [] })
    const socket = await openAt(t, sim, lines.find(({ dir }) => dir === 'upgrade').url)
    const frames = lines.filter(({ dir }) => dir === 'client->server').map(({ json }) => json)
    assert.ok(frames.length >= 4)
    assert.equal(await refusalOf(socket, sim, frames), null)
  })
}

test('recorded sessions: each frame of a client is accepted', { skip: !present }, async t => {
  const recordings = byRecording(linesOf('peers/gemini-live-recordings.jsonl'))
  assert.ok(recordings.size >= 9)
  for (const [recording, lines] of recordings) {
    const sim = await simulate(t, { rules: [] })
    const socket = await openAt(t, sim, '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent')
    const frames = lines.filter(({ dir }) => dir === 'client->server').map(({ json }) => json)
    assert.equal(await refusalOf(socket, sim, frames), null, recording)
    await sim.close()
  }
})

test('the simulator sends no frame member that the service does not', { skip: !present }, async t => {
  const recorded = new Set(
    linesOf('peers/gemini-live-recordings.jsonl')
      .filter(({ dir }) => dir === 'server->client')
      .flatMap(({ json }) => pathsOf(json)),
  )
  const sim = await simulate(t, {
    rules: [
      {
        steps: [
          { emit: [{ call: { name: 'get_current_weather', args: { location: 'x' } } }] },
          { emit: [{ say: 'ok' }] },
        ],
      },
    ],
  })
  const socket = await openAt(t, sim, '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent')
  const turnComplete = new Promise(resolve => {
    socket.on('message', bytes => {
      const frame = JSON.parse(bytes)
      const call = frame.toolCall?.functionCalls[0]
      if (call)
        socket.send(
          JSON.stringify({ toolResponse: { functionResponses: [{ id: call.id, name: call.name, response: {} }] } }),
        )
      if (frame.serverContent?.turnComplete) resolve()
    })
  })
  socket.send(
    JSON.stringify({
      setup: { model: 'm', generationConfig: { responseModalities: ['TEXT'] }, outputAudioTranscription: {} },
    }),
  )
  socket.send(JSON.stringify({ clientContent: { turns: [{ parts: [{ text: 'x' }] }], turnComplete: true } }))
  await turnComplete
  const unknown = sim.live.connections[0].sent.flatMap(frame => pathsOf(frame)).filter(path => !recorded.has(path))
  assert.deepEqual(unknown, [])
})

for (const file of ['openai-6.49.0', 'openai-7.57.0', 'aisdk-6.0.326', 'aisdk-7.0.173']) {
  for (const url of ['/v1/chat/completions', '/v1/responses']) {
    test(`${file}: requests to ${url} are accepted`, { skip: !present }, async t => {
      // the recorded server made up the ids that later requests name
      const rules = [
        { steps: [{ emit: [{ call: { name: 'get_weather', id: 'call_1' } }] }, { emit: [{ say: 'ok' }] }] },
      ]
      const sim = await simulate(t, { rules })
      const bodies = linesOf(`wire/${file}.jsonl`)
        .filter(line => line.url === url)
        .map(({ body }) => body)
      assert.ok(bodies.length >= 2)
      let previous
      for (const body of bodies) {
        const known = body.previous_response_id === undefined ? body : { ...body, previous_response_id: previous }
        const response = await fetch(`${sim.url}${url}`, { method: 'POST', body: JSON.stringify(known) })
        const text = await response.text()
        assert.equal(response.status, 200, text)
        if (body.stream !== true) previous = JSON.parse(text).id
      }
    })
  }
}

for (const file of ['openai-6.49.0', 'openai-7.57.0']) {
  test(`${file}: Realtime events are accepted`, { skip: !present }, async t => {
    const lines = linesOf(`wire/${file}.jsonl`)
    const sim = await simulate(t, { rules: [{ steps: [{ emit: [{ call: { name: 'get_weather', id: 'call_1' } }] }] }] })
    const socket = await openAt(t, sim, lines.find(({ what }) => what === 'realtime-wss upgrade').url)
    const events = lines.filter(({ what }) => what === 'realtime-wss client->server').map(({ json }) => json)
    assert.ok(events.length >= 3)
    let done = () => {}
    socket.on('message', text => JSON.parse(text).type === 'response.done' && done())
    for (const event of events) {
      const whenDone = event.type === 'response.create' ? new Promise(resolve => (done = resolve)) : null
      socket.send(JSON.stringify(event))
      await whenDone
    }
    socket.ping()
    await once(socket, 'pong')
    const refusals = sim.realtime.connections[0].sent.filter(({ type }) => type === 'error')
    assert.deepEqual(refusals, [])
  })
}

function pathsOf(value, path = '') {
  if (Array.isArray(value)) return value.flatMap(item => pathsOf(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, item]) => pathsOf(item, `${path}/${key}`))
}

function byRecording(lines) {
  const groups = new Map()
  for (const line of lines) groups.set(line.recording, [...(groups.get(line.recording) ?? []), line])
  return groups
}
