// The limits of data per mode and tool, and the intents of a result.
import { failure } from '../../index.js'
import { probe } from '../support/gate.mjs'
import { answerOf, internal } from '../support/handler-outcome.mjs'

describe('caps and schemas', () => {
  test("data over the mode's size is shortened, and meta says what is gone", async () => {
    const rows = Array.from({ length: 1000 }, (_, n) => ({ n, text: 'x'.repeat(100) }))
    const { answer } = await answerOf(() => ({ ok: true, data: { rows, total: 1000 } }), {}, { mode: 'voice' })
    expect(Buffer.byteLength(JSON.stringify(answer.data))).toBeLessThanOrEqual(8 * 1024)
    expect(answer.data.total).toBe(1000)
    const kept = answer.data.rows.length
    expect(answer.data.rows).toEqual(rows.slice(0, kept))
    expect(answer.meta.truncated).toMatchObject({
      limitBytes: 8192,
      originalBytes: Buffer.byteLength(JSON.stringify({ rows, total: 1000 })),
      dropped: [],
      shortened: [{ path: '/rows', kept, of: 1000 }],
    })
  })

  test("the tool's own cap goes before the mode's", async () => {
    const { answer } = await answerOf(() => ({ ok: true, data: { a: 'x'.repeat(100), b: 1 } }), {
      resultLimitBytes: 50,
    })
    expect(answer.data).toEqual({ b: 1 })
    expect(answer.meta.truncated).toMatchObject({ limitBytes: 50, dropped: ['/a'] })
  })

  const resultSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['n'],
    properties: { n: { type: 'integer' } },
  }

  test.each([
    ['another type', { n: 'x' }],
    ['a missing member', {}],
    ['an unknown member', { n: 1, m: 2 }],
    ['no data', undefined],
  ])("%s does not fit the result's schema", async (_what, data) => {
    const ended = await answerOf(() => ({ ok: true, data }), { resultSchema })
    internal(ended)
  })

  test('data that fits passes, and a failure needs no data', async () => {
    expect((await answerOf(() => ({ ok: true, data: { n: 1 } }), { resultSchema })).answer.data).toEqual({ n: 1 })
    expect((await answerOf(() => failure('NOT_FOUND', 'm'), { resultSchema })).answer.error.type).toBe('NOT_FOUND')
  })
})

describe('intents', () => {
  test.each([
    ['an unknown type', [{ type: 'REBOOT' }], /REBOOT/],
    ['a value of the wrong type', [{ type: 'SUPPRESS_AUDIO', value: 'yes' }], /SUPPRESS_AUDIO/],
    ['no object', ['SUPPRESS_AUDIO'], /intent/],
    ['no list', { type: 'SUPPRESS_AUDIO', value: true }, /`intents`/],
  ])('%s is left out with a warning, the result stands', async (_what, intents, warning) => {
    const { answer } = await answerOf(() => ({ ok: true, data: 1, intents }))
    expect(answer).toMatchObject({ ok: true, data: 1, intents: [] })
    expect(answer.meta.warnings.join()).toMatch(warning)
  })

  test('good ones beside bad ones are applied, and told', async () => {
    const { call, session } = await probe(() => ({
      ok: true,
      intents: [{ type: 'REBOOT' }, { type: 'SUPPRESS_AUDIO', value: true }],
    }))
    expect((await call()).intents).toEqual([{ type: 'SUPPRESS_AUDIO', value: true }])
    expect(session.state.get('shouldSuppressAudio')).toBe(true)
  })

  test('of a failure they are applied too', async () => {
    const { call, session } = await probe(() =>
      failure('PERMANENT', 'm', { intents: [{ type: 'SET_PENDING_MESSAGE', message: 'later' }] }),
    )
    await call()
    expect(session.state.get('pendingMessage')).toBe('later')
  })
})
