// One answer, three views: the model's, a voice's and the user's.
import path from 'node:path'

import { createRegistry, toModelResponse, toSpeech, toUiResponse, validateToolResponse } from '../../index.js'
import { openGate, probe } from '../support/gate.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'

const MIB = 1024 * 1024
const ROWS = Array.from({ length: 500 }, (_, n) => ({ id: `row_${n}`, title: `Row ${n}`, text: 'x'.repeat(500) }))
const small = { resultLimitBytes: 2000 }
const found = () => ({ ok: true, data: { results: ROWS, total: 500 } })

/** The user's view of an answer: checked, whole where it should be, and the answer itself as it was. */
function wholeOf(answer, session) {
  const before = structuredClone(answer)
  const ui = toUiResponse(answer, session)
  expect(answer).toEqual(before)
  expect(validateToolResponse(ui)).toBe(true)
  return ui
}

const isCapped = answer => {
  expect(Buffer.byteLength(JSON.stringify(answer.data))).toBeLessThanOrEqual(answer.meta.truncated.limitBytes)
  expect(answer.meta.truncated.shortened).toEqual([{ path: '/results', kept: answer.data.results.length, of: 500 }])
}

const isShortUi = (ui, answer) =>
  expect(ui).toEqual({ ...answer, meta: { ...answer.meta, warnings: ['full_data_not_kept'] } })

describe("the user's view", () => {
  test("has all of the data, and the model's is as it was", async () => {
    const { call } = await probe(found, small)
    const answer = await call({}, 'call_0000001')
    isCapped(answer)
    const ui = wholeOf(answer)
    const { truncated: _truncated, ...meta } = answer.meta
    expect(ui).toEqual({ ok: true, data: { results: ROWS, total: 500 }, intents: [], meta })
    expect(JSON.parse(JSON.stringify(answer))).toEqual(answer)
  })

  test('of what was not shortened, and of a failure, is the answer itself', async () => {
    const { call } = await probe(
      ({ args }) => (args.fail ? { ok: false, error: { type: 'PERMANENT', message: 'no' } } : { ok: true, data: 1 }),
      { parameters: { type: 'object', additionalProperties: false, properties: { fail: { type: 'boolean' } } } },
    )
    for (const answer of [await call({}), await call({ fail: true }), await call({ unknown: 1 })])
      expect(toUiResponse(answer)).toBe(answer)
  })

  test('is a copy: what one caller does to it no other sees', async () => {
    const { call } = await probe(found, small)
    const answer = await call({}, 'call_0000001')
    toUiResponse(answer).data.results.length = 0
    expect(toUiResponse(answer).data.results).toEqual(ROWS)
  })

  test('of a replay, a join and a confirmed call is whole too', async () => {
    const { session } = await openGate({
      probe: { execute: found, ...small },
      ask: { execute: found, ...small, sideEffects: 'writes', idempotent: false, requiresConfirmation: true },
    })
    const one = await session()
    const probes = () => one.execute({ id: 'call_0000001', name: 'probe', args: {} })
    const [first, joined] = await Promise.all([probes(), probes()])
    const other = await session({ sessionId: one.sessionId })
    const replayed = await other.execute({ id: 'call_0000001', name: 'probe', args: {} })
    const [, second] = await one.executeAll([
      { name: 'probe', args: {}, id: 'call_0000002' },
      { name: 'probe', args: {}, id: 'call_0000003' },
    ])
    const asked = await one.execute({ id: 'call_0000004', name: 'ask', args: {} })
    const confirmed = await one.confirm(asked.error.confirmation_request.token)
    for (const answer of [first, joined, replayed, second, confirmed]) {
      isCapped(answer)
      expect(toUiResponse(answer).data.results).toEqual(ROWS)
    }
    expect([joined.meta._idempotent_cache_hit, replayed.meta._idempotent_cache_hit]).toEqual([true, true])
  })

  test('of a kept result is whole too', async () => {
    const { call } = await probe(found, {
      ...small,
      cache: { ttlMs: 60_000 },
      category: 'retrieval',
      sideEffects: 'read_only',
    })
    await call({}, 'call_0000001')
    const cached = await call({}, 'call_0000002')
    expect(cached.meta.cached).toBe(true)
    isCapped(cached)
    expect(toUiResponse(cached).data.results).toEqual(ROWS)
  })

  test('a handler has it of the tools it calls', async () => {
    const { session } = await openGate({
      probe: { execute: found, ...small },
      outer: {
        execute: async ({ callTool }) => ({
          ok: true,
          data: toUiResponse(await callTool('probe', {})).data.results.length,
        }),
      },
    })
    expect((await (await session()).execute({ name: 'outer' })).data).toBe(500)
  })

  test('an answer that came as text, or was copied, is looked up with its session, and only with its own', async () => {
    const { session } = await openGate({ probe: { execute: found, ...small } })
    const one = await session()
    const answer = JSON.parse(await one.executeText({ id: 'call_0000001', name: 'probe' }))
    isShortUi(wholeOf(answer), answer)
    expect(wholeOf(answer, one).data.results).toEqual(ROWS)
    isShortUi(wholeOf(answer, await session()), answer)
    const forged = { ...answer, meta: { ...answer.meta, idempotencyKey: `tg_${'0'.repeat(32)}` } }
    isShortUi(wholeOf(forged, one), forged)
  })

  test("past the bounds it is the model's, and says so", async () => {
    const huge = await probe(() => ({ ok: true, data: { results: ROWS, text: 'x'.repeat(MIB) } }), small)
    const answer = await huge.call({}, 'call_0000001')
    isShortUi(wholeOf(answer), answer)
  })

  test("without a session, after its end and of a record that another process made it is the model's, and says so", async () => {
    const folder = temporaryFolder()
    const options = { store: { file: path.join(folder, 'sessions.db') } }
    const { registry, session, artifact } = await openGate({ probe: { execute: found, ...small } }, options)
    const direct = await registry.executeTool('probe', { args: {} })
    isShortUi(wholeOf(direct), direct)
    const one = await session()
    const answer = await one.execute({ id: 'call_0000001', name: 'probe' })
    const elsewhere = createRegistry({ artifact, handlers: { probe: found }, audit: 'none', ...options })
    await elsewhere.load()
    afterTest(() => elsewhere.close())
    const other = await elsewhere.createSession({ mode: 'text', sessionId: one.sessionId })
    const replayed = await other.execute({ id: 'call_0000001', name: 'probe' })
    expect(replayed.meta._idempotent_cache_hit).toBe(true)
    isCapped(replayed)
    isShortUi(wholeOf(replayed), replayed)
    await one.end()
    isShortUi(wholeOf(answer), answer)
  })

  test("shown twice it says so once, and passed on to a model it is the model's again", async () => {
    const { call, session } = await probe(found, small)
    const answer = await call({}, 'call_0000001')
    const ui = toUiResponse(answer)
    expect(toUiResponse(ui)).toBe(ui)
    expect(toModelResponse(ui, { meta: 'full' })).toBe(answer)
    expect(toModelResponse(ui)).toEqual(toModelResponse(answer))
    const copy = toUiResponse({ ...answer })
    expect(toUiResponse(copy, session)).toBe(copy)
  })
})

describe("the model's view", () => {
  const bytesBeyond = (view, data) => Buffer.byteLength(JSON.stringify(view)) - Buffer.byteLength(JSON.stringify(data))

  test('of a plain success is its data, with at most 40 bytes more', async () => {
    const { call } = await probe(() => ({ ok: true, data: { found: 1 } }))
    const answer = await call({}, 'call_0000001')
    expect(toModelResponse(answer)).toEqual({ ok: true, data: { found: 1 } })
    expect(bytesBeyond(toModelResponse(answer), answer.data)).toBeLessThanOrEqual(40)
    expect(toModelResponse(answer, { meta: 'full' })).toBe(answer)
    expect(toModelResponse(toModelResponse(answer))).toEqual(toModelResponse(answer))
  })

  test('keeps what was cut, lowered, replayed or warned of', async () => {
    const { call } = await probe(found, {
      ...small,
      category: 'retrieval',
      sideEffects: 'read_only',
      clamp: { text: { top_k: 3 } },
      properties: { top_k: { type: 'integer' } },
    })
    const answer = await call({ top_k: 9 }, 'call_0000001')
    const { clamped, truncated } = answer.meta
    expect([clamped.length, truncated.limitBytes]).toEqual([1, 2000])
    expect(toModelResponse(answer)).toEqual({ ok: true, data: answer.data, meta: { clamped, truncated } })
    const replayed = await call({ top_k: 9 }, 'call_0000001')
    expect(toModelResponse(replayed).meta).toEqual({ clamped, truncated, _idempotent_cache_hit: true })
    const warned = { ...answer, meta: { ...answer.meta, warnings: ['unrecorded'] } }
    expect(toModelResponse(warned).meta.warnings).toEqual(['unrecorded'])
  })

  test('keeps intents if there are any', async () => {
    const intents = [{ type: 'SUPPRESS_AUDIO', value: true }]
    const { call } = await probe(() => ({ ok: true, intents }))
    expect(toModelResponse(await call())).toEqual({ ok: true, intents })
  })

  test('of a failure is its error, with the suggestion', async () => {
    const { call } = await probe(found)
    const refused = await call({ colour: 'red' })
    expect(toModelResponse(refused)).toEqual({ ok: false, error: refused.error })
    const error = { type: 'NOT_FOUND', message: 'no', retryable: false, partialSideEffects: false, suggestion: 'look' }
    const { call: fail } = await probe(() => ({ ok: false, error }))
    expect(toModelResponse(await fail())).toEqual({ ok: false, error })
  })

  test('has no other form', () => {
    expect(() => toModelResponse({ ok: true }, { meta: 'short' })).toThrow('`meta` must be `lean` or `full`')
  })
})

describe("a voice's view", () => {
  test('is short, counts what there is, and names no ids', async () => {
    const { call } = await probe(found, small)
    const answer = await call({}, 'call_0000001')
    expect(toSpeech(answer)).toBe('500 results, among them Row 0, Row 1 and Row 2.')
    expect(toSpeech(toUiResponse(answer))).toBe(toSpeech(answer))
  })

  test('of a question says what is asked, and holds no token', async () => {
    const { call } = await probe(found, {
      sideEffects: 'writes',
      idempotent: false,
      requiresConfirmation: true,
      confirmation: { preview: 'Wipe the board' },
    })
    const asked = await call({}, 'call_0000001')
    const { token } = asked.error.confirmation_request
    expect(toSpeech(asked)).toBe("Probe needs the user's confirmation and has not run: Wipe the board.")
    expect(toSpeech({ ...asked, error: { ...asked.error, message: `say ${token} now` } })).toBe('Say now.')
    expect(JSON.stringify(toModelResponse(asked))).not.toContain(token)
  })

  test('of a bad call is its message', async () => {
    const { call } = await probe(found)
    expect(toSpeech(await call({ colour: 'red' }))).toMatch(/^[^{}[\]/_]{10,300}$/)
  })
})

test.each([undefined, null, 7, 'text', [], {}, { ok: 'yes' }])('%p is no answer: both views say so', value => {
  expect(() => toUiResponse(value)).toThrow(TypeError)
  expect(() => toSpeech(value)).toThrow(TypeError)
})
