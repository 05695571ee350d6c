// Results `{ success, data?, error? }` from answers of the gate, and back.
import { validateToolResponse } from '../../index.js'
import { fromToolResult, toLiveAnswer, toToolRecord, toToolResult } from '../../js/unified/index.js'
import { probe } from '../support/gate.mjs'

const TEXT = { properties: { text: { type: 'string' }, count: { type: 'integer' } } }
const answerOf = async (execute, args = {}, fields = TEXT) => {
  const { call } = await probe(execute, fields)
  const response = await call(args, 'call_00000001')
  expect(validateToolResponse(response)).toBe(true)
  return response
}

test.each([
  ['a value', () => ({ ok: true, data: { found: 1 } }), { success: true, data: { found: 1 } }],
  ['nothing', () => ({ ok: true }), { success: true }],
  ['a falsy value', () => ({ ok: true, data: 0 }), { success: true, data: 0 }],
  [
    'its own failure',
    () => ({ ok: false, error: { type: 'PERMANENT', message: 'the account is closed' } }),
    { success: false, error: 'the account is closed' },
  ],
  [
    'a failure without a message',
    () => ({ ok: false, error: { type: 'PERMANENT', message: '' } }),
    { success: false, error: 'Tool execution failed without error message' },
  ],
  [
    'a failure without an error',
    () => ({ ok: false }),
    { success: false, error: 'Tool execution failed without error message' },
  ],
  [
    'an exception',
    () => {
      throw new Error('password=hunter2')
    },
    { success: false, error: 'Tool execution failed' },
  ],
  ['no object', () => 'done', { success: false, error: 'Invalid tool response format' }],
  ['undefined', () => undefined, { success: false, error: 'Invalid tool response format' }],
])('a handler that gives %s', async (_what, execute, expected) => {
  expect(toToolResult(await answerOf(execute))).toEqual(expected)
})

test('invalid arguments are named, each of them', async () => {
  const response = await answerOf(() => ({ ok: true }), { text: 1, count: 'x' })
  expect(toToolResult(response)).toEqual({
    success: false,
    error:
      'Invalid tool arguments: `/text` must be a string, not the number `1`; send it in double quotes; ' +
      '`/count` must be an integer, not the string `"x"`',
  })
})

test('a handler that finds the arguments invalid', () => {
  const error = { type: 'VALIDATION', message: 'the day is over', retryable: false, partialSideEffects: false }
  expect(toToolResult({ ok: false, error, intents: [] })).toEqual({
    success: false,
    error: 'Invalid tool arguments: the day is over',
  })
})

test.each([null, undefined, 'text', {}, { success: true }])('%p is no answer of the gate', value => {
  expect(toToolResult(value)).toEqual({ success: false, error: 'Invalid tool response format' })
})

describe('a result of a tool that was written for the old interface', () => {
  test.each([
    [
      { success: true, data: [1] },
      { success: true, data: [1] },
    ],
    [{ success: true }, { success: true }],
    [
      { success: false, error: 'no such order' },
      { success: false, error: 'no such order' },
    ],
    [{ success: false }, { success: false, error: 'Tool execution failed without error message' }],
    [null, { success: false, error: 'Invalid tool response format' }],
    [{ data: 1 }, { success: false, error: 'Invalid tool response format' }],
  ])('%p goes through the gate', async (result, expected) => {
    const before = toToolResult(fromToolResult(result))
    const through = toToolResult(await answerOf(() => fromToolResult(result)))
    expect([before, through]).toEqual([expected, expected])
  })

  test('keeps the data of a failure as details', () => {
    expect(fromToolResult({ success: false, error: 'taken', data: { free: ['10:00'] } })).toEqual({
      ok: false,
      error: {
        type: 'PERMANENT',
        message: 'taken',
        retryable: false,
        partialSideEffects: false,
        details: { free: ['10:00'] },
      },
      intents: [],
    })
  })
})

test('records and live answers', async () => {
  const response = await answerOf(({ args }) => ({ ok: true, data: args }), { text: 'a' })
  expect(toLiveAnswer('probe', response)).toEqual({ name: 'probe', response: { success: true, data: { text: 'a' } } })
  expect(toToolRecord({ id: 'call_00000001', name: 'probe' }, response)).toEqual({
    id: 'call_00000001',
    name: 'probe',
    success: true,
    data: { text: 'a' },
    durationMs: response.meta.duration,
  })
})
