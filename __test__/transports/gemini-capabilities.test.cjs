'use strict'
// What each surface and model of Gemini Live takes: the table as data.
const { ROWS, geminiCapabilities } = require('../../js/transports/gemini-capabilities.js')

const COLUMNS = ['id', 'nonBlocking', 'scheduling', 'willContinue', 'pendingAudio', 'text']

test('every row of the capability table says each capability and where it is from', () => {
  for (const { surface, model, source, ...said } of ROWS) {
    expect(Object.keys(said).sort()).toEqual([...COLUMNS].sort())
    expect(['developer', 'vertex']).toContain(surface)
    expect([model.source, source]).toEqual([expect.any(String), expect.stringMatching(/\S/)])
  }
})

test.each([
  ['developer', 'gemini-3.8-live', ['required', true, true, true, 'stops', 'clientContent']],
  ['developer', 'models/gemini-3.1-flash-live-preview', ['required', false, false, false, 'stops', 'realtimeInput']],
  ['developer', 'gemini-live-2.5-flash-native-audio', ['required', true, true, true, 'stops', 'clientContent']],
  ['developer', 'some-model-of-tomorrow', ['required', false, false, false, 'stops', 'clientContent']],
  [
    'vertex',
    'publishers/google/models/gemini-live-2.5-flash',
    ['optional', true, true, false, 'continues', 'clientContent'],
  ],
  ['vertex', 'gemini-3.8-live', ['optional', true, true, false, 'continues', 'clientContent']],
  ['vertex', 'gemini-3.1-flash-live-preview', ['optional', false, false, false, 'stops', 'clientContent']],
  ['vertex', 'some-model-of-tomorrow', ['optional', false, false, false, 'stops', 'clientContent']],
])('%s, %s', (surface, model, values) => {
  expect(geminiCapabilities({ surface, model })).toEqual(
    Object.fromEntries(COLUMNS.map((column, at) => [column, values[at]])),
  )
})
