'use strict'
// What live models take: the table as data, and what the declarations and answers of Gemini Live do with it.
const { GeminiLiveTransport } = require('../../js/transports/gemini-live-transport.js')
const { ROWS, declaredBehavior, geminiCapabilities, withBehavior } = require('../../js/transports/live-capabilities.js')
const { found } = require('./support/answers.cjs')

const COLUMNS = ['id', 'nonBlocking', 'blocking', 'defaultBehavior', 'scheduling', 'willContinue', 'text']
const [WAITS, GOES_ON] = ['BLOCKING', 'NON_BLOCKING']

test('every row of the table says each capability, where it is from, when, and what is assumed', () => {
  for (const { surface, model, name, source, checked, assumed = {}, ...said } of ROWS) {
    expect(Object.keys(said).sort()).toEqual([...COLUMNS].sort())
    expect(['developer', 'vertex', 'realtime', 'live']).toContain(surface)
    for (const text of [model.source, name, source, ...Object.values(assumed)]) expect(text).toMatch(/\S/)
    expect(checked).toMatch(/^\d{4}-\d\d-\d\d$/)
    for (const column of Object.keys(assumed)) expect(COLUMNS).toContain(column)
  }
})

test('no row of Gemini hides another, and a model that waits needs no word to wait', () => {
  for (const [at, row] of ROWS.entries()) {
    if (row.surface === 'developer' || row.surface === 'vertex') {
      const first = ROWS.find(({ surface, model }) => surface === row.surface && model.test(row.name.split(' ')[0]))
      if (row.name !== 'any other') expect([at, first]).toEqual([at, row])
    }
    if (row.blocking) expect(row.defaultBehavior).toBe(GOES_ON)
    if (row.surface !== 'live' && row.willContinue) expect(row.nonBlocking).toBe(true)
  }
})

test.each([
  ['developer', 'gemini-3.8-live', ['required', true, true, GOES_ON, true, true, 'clientContent']],
  [
    'developer',
    'models/gemini-3.1-flash-live-preview',
    ['required', false, false, WAITS, false, false, 'realtimeInput'],
  ],
  ['developer', 'gemini-live-2.5-flash-native-audio', ['required', true, false, WAITS, true, true, 'clientContent']],
  ['developer', 'some-model-of-tomorrow', ['required', false, false, WAITS, false, false, 'clientContent']],
  [
    'vertex',
    'publishers/google/models/gemini-live-2.5-flash',
    ['optional', true, false, GOES_ON, true, false, 'clientContent'],
  ],
  ['vertex', 'gemini-3.8-live', ['optional', true, true, GOES_ON, true, false, 'clientContent']],
  ['vertex', 'gemini-3.1-flash-live-preview', ['optional', false, false, WAITS, false, false, 'clientContent']],
  ['vertex', 'some-model-of-tomorrow', ['optional', false, false, WAITS, false, false, 'clientContent']],
])('%s, %s', (surface, model, values) => {
  expect(geminiCapabilities({ surface, model })).toEqual(
    Object.fromEntries(COLUMNS.map((column, at) => [column, values[at]])),
  )
})

test.each(['live', 'realtime', 'Vertex', '__proto__'])('the surface `%s` is none of Gemini', surface => {
  expect(() => geminiCapabilities({ surface })).toThrow('must be `developer` or `vertex`')
})

const DECLARED = [
  // surface, model, a background tool, any other tool
  ['developer', 'gemini-3.8-live', GOES_ON, WAITS],
  ['vertex', 'gemini-3.8-live', undefined, WAITS],
  ['developer', 'gemini-live-2.5-flash-native-audio', GOES_ON, undefined],
  ['vertex', 'gemini-live-2.5-flash-native-audio', undefined, undefined],
  ['developer', 'gemini-3.1-flash-live-preview', undefined, undefined],
  ['developer', 'some-model-of-tomorrow', undefined, undefined],
]

test.each(DECLARED)('%s, %s: a background tool is declared %s, another one %s', (surface, model, background, other) => {
  const isBackground = name => name === 'render'
  const declarations = [{ name: 'render', description: 'a' }, { name: 'search' }]
  const expected = [background, other].map((behavior, at) => ({
    ...declarations[at],
    ...(behavior ? { behavior } : {}),
  }))
  expect(withBehavior(declarations, { surface, model, isBackground })).toEqual(expected)
  expect(declarations).toEqual([{ name: 'render', description: 'a' }, { name: 'search' }])
  // A declaration that goes on can be answered twice; one that can't be is answered once.
  const sent = []
  const transport = new GeminiLiveTransport({ sendToolResponse: message => sent.push(message) }, { surface, model })
  transport.receiveToolCalls({ toolCall: { functionCalls: [{ id: 'function-call-1234', name: 'render', args: {} }] } })
  const answer = { id: 'function-call-1234', name: 'render', result: found(), scheduling: 'SILENT' }
  transport.sendToolResult({ ...answer, willContinue: true })
  expect(transport.awaits('function-call-1234')).toBe(background === GOES_ON)
  const [{ functionResponses }] = sent
  expect(functionResponses[0].willContinue).toBe(background === GOES_ON ? true : undefined)
  expect(functionResponses[0].scheduling).toBe(geminiCapabilities({ surface, model }).scheduling ? 'SILENT' : undefined)
})

test('every row has a declaration for both kinds of tools that the row allows', () => {
  for (const row of ROWS) {
    for (const isBackground of [true, false]) {
      const behavior = declaredBehavior({ isBackground }, row)
      if (behavior === GOES_ON) expect([isBackground, row.nonBlocking, row.willContinue]).toEqual([true, true, true])
      if (behavior === WAITS) expect([isBackground, row.blocking]).toEqual([false, true])
      if (behavior === undefined && !isBackground) expect(row.blocking).toBe(false)
    }
  }
})

test.each(['developer', 'vertex'])('Gemini 3.8 Live with extended thinking takes NON_BLOCKING only: %s', surface => {
  const options = { surface, model: 'models/gemini-3.8-live-extended-thinking', isBackground: () => false }
  expect(withBehavior([{ name: 'find_note' }], options)).toEqual([{ name: 'find_note' }])
  expect(geminiCapabilities(options)).toMatchObject({
    nonBlocking: true,
    blocking: false,
    defaultBehavior: 'NON_BLOCKING',
  })
})
