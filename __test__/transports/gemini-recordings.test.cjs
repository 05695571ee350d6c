'use strict'
// Recorded traffic of the real service, frame by frame through the transport.
const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { GeminiLiveTransport } = require('../../js/transports/gemini-live-transport.js')

const corpus = process.env.TOOLGATE_CORPUS ?? join(__dirname, '../../../shared/corpus')
const file = join(corpus, 'peers/gemini-live-recordings.jsonl')
const present = existsSync(file)
if (!present) console.log(`skipped: no recordings at ${file}`)

;(present ? test : test.skip)('recorded server frames give the recorded call and nothing else', () => {
  const frames = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  const transports = new Map()
  const calls = []
  for (const { recording, dir, json } of frames) {
    if (dir !== 'server->client') continue
    if (!transports.has(recording)) transports.set(recording, new GeminiLiveTransport({}))
    const transport = transports.get(recording)
    calls.push(...transport.receiveToolCalls(json))
    expect(transport.receiveCancellations(json)).toEqual([])
  }
  expect(transports.size).toBeGreaterThan(5)
  expect(calls).toEqual([
    { id: 'function-call-5831923424298605773', name: 'get_current_weather', args: { location: 'Redmond, WA' } },
  ])
})
