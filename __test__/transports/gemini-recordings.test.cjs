'use strict'
// Recorded traffic of the real service, frame by frame through the transport.
const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { GeminiLiveTransport } = require('./support/gate-view.cjs')

const corpus = process.env.TOOLGATE_CORPUS ?? join(__dirname, '../../../shared/corpus')
const file = join(corpus, 'peers/gemini-live-recordings.jsonl')
const present = existsSync(file)
if (!present) console.log(`skipped: no recordings at ${file}`)

;(present ? test.each : test.skip.each)([
  ['objects', json => json, args => args],
  ['text', JSON.stringify, args => args],
  ['bytes', json => Buffer.from(JSON.stringify(json)), args => args],
])('recorded server frames, as %s, give the recorded call and nothing else', (_what, form, written) => {
  const frames = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const transports = new Map()
  const calls = []
  for (const { recording, dir, json } of frames) {
    if (dir !== 'server->client') continue
    if (!transports.has(recording)) transports.set(recording, new GeminiLiveTransport({}))
    const transport = transports.get(recording)
    const frame = form(json)
    calls.push(...transport.receiveToolCalls(frame))
    expect(transport.receiveCancellations(frame)).toEqual([])
    expect(transport.problem).toBeNull()
  }
  expect(transports.size).toBeGreaterThan(5)
  expect(calls).toEqual([
    {
      id: 'function-call-5831923424298605773',
      name: 'get_current_weather',
      args: written({ location: 'Redmond, WA' }),
    },
  ])
})

const session = join(corpus, 'wire/genai-live-2.32.0.jsonl')
const recorded = existsSync(session)
if (!recorded) console.log(`skipped: no recordings at ${session}`)

;(recorded ? test : test.skip)(
  'toolCallCancellation ids of a session are never answered, a toolCall that comes again is',
  () => {
    const sent = []
    const sendToolResponse = ({ functionResponses }) => sent.push(functionResponses.map(({ id }) => id))
    const transport = new GeminiLiveTransport({ sendToolResponse })
    const result = { ok: true, data: {}, intents: [], meta: {} }
    let calls = []
    for (const line of readFileSync(session, 'utf8')
      .trim()
      .split('\n')
      .map(text => JSON.parse(text))) {
      if (line.dir !== 'server->client') continue
      const cancelled = transport.receiveCancellations(line.json)
      calls.push(...transport.receiveToolCalls(line.json))
      if (cancelled.length === 0) continue
      expect(cancelled).toEqual([calls[1].id])
      transport.sendToolResults(calls.map(({ id, name }) => ({ id, name, result })))
      calls = []
    }
    expect(sent).toEqual([['function-call-1'], ['function-call-1']])
  },
)
