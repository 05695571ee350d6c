// The knowledge base tools on the real embedded knowledge base; a made-up service only where one must fail.
import { createKnowledgeBase } from '../../tools/_services/knowledge-base.js'
import { ServiceError } from '../../tools/_services/service-errors.js'
import { execute as kbGet } from '../../tools/kb_get/handler.js'
import { execute as kbSearch } from '../../tools/kb_search/handler.js'
import { handlerContext } from './support/handler-context.mjs'
import { compile, expectResult, schemaOf } from './support/tool-files.mjs'

let kb
beforeAll(async () => {
  kb = await createKnowledgeBase()
})

/** Runs a handler as the gate would: arguments checked, defaults filled in. */
async function run(execute, toolId, args, overrides = {}) {
  const filled = structuredClone(args)
  const validate = compile(schemaOf(toolId).parameters, { useDefaults: true })
  validate(filled)
  expect(validate.errors).toBeNull()
  return execute(handlerContext({ args: filled, services: { kb }, ...overrides }).context)
}
const search = (args, overrides) => run(kbSearch, 'kb_search', args, overrides)
const get = (args, overrides) => run(kbGet, 'kb_get', args, overrides)

describe('kb_search', () => {
  test('answers with records in the promised shape', async () => {
    const response = await search({ query: 'Rust audio' })
    expect(response.ok).toBe(true)
    expectResult('kb_search', response.data)
    expect(response.data.results).toHaveLength(5)
    expect(response.data.clamped).toBe(false)
    expect(response.data.results[0]).not.toHaveProperty('full_text')
    expect(response.data.results[0]).not.toHaveProperty('sources')
  })

  test('nothing found is a success without results', async () => {
    const { ok, data } = await search({ query: 'xyzzyqwertyuiop' })
    expect(ok).toBe(true)
    expectResult('kb_search', data)
    expect(data.results).toEqual([])
  })

  test('full text and sources come when they are asked for', async () => {
    const { data } = await search({ query: 'invoice approval', top_k: 1, return_fields: ['full_text', 'sources'] })
    expectResult('kb_search', data)
    const [record] = data.results
    expect(record.id).toBe('process:invoice_approval')
    expect(record.full_text).toContain('An invoice without a purchase order is returned')
    expect(record.sources).toContain('process:purchase_order')
  })

  test('without snippets the snippet is null', async () => {
    const { data } = await search({ query: 'Rust audio', include_snippets: false })
    expectResult('kb_search', data)
    expect(data.results.map(record => record.snippet)).toEqual([null, null, null, null, null])
  })

  test('says when top_k was lowered', async () => {
    const args = { query: 'Rust audio', top_k: 3 }
    const { data } = await search(args, { mode: 'voice', meta: { clamped: [{ path: '/top_k', from: 5, to: 3 }] } })
    expect(data.clamped).toBe(true)
    expect(data.results).toHaveLength(3)
    const other = await search(args, { meta: { clamped: [{ path: '/other', from: 5, to: 3 }] } })
    expect(other.data.clamped).toBe(false)
    expect((await search(args, { meta: {} })).data.clamped).toBe(false)
  })

  test('refuses full text in voice, and points at it', async () => {
    const response = await search({ query: 'Rust audio', return_fields: ['url', 'full_text'] }, { mode: 'voice' })
    expect(response).toMatchObject({
      ok: false,
      error: {
        type: 'VALIDATION',
        retryable: false,
        details: [{ instancePath: '/return_fields/1', keyword: 'mode', params: { mode: 'voice' } }],
      },
    })
    const spoken = await search({ query: 'Rust audio', return_fields: ['url'] }, { mode: 'voice' })
    expect(spoken.ok).toBe(true)
  })

  test.each([
    ['start after end', { start: '2026-05-01T00:00:00Z', end: '2026-04-30T23:59:59Z' }, '/filters/date_range'],
    ['a leap second', { start: '2026-06-30T23:59:60Z' }, '/filters/date_range/start'],
  ])('refuses a date range with %s', async (_, range, instancePath) => {
    const response = await search({ query: 'Rust audio', filters: { date_range: range } })
    expect(response).toMatchObject({ ok: false, error: { type: 'VALIDATION', details: [{ instancePath }] } })
  })

  test('offsets are compared as moments, not as text', async () => {
    const range = { start: '2026-10-25T10:00:00+02:00', end: '2026-10-25T09:00:00Z' }
    const { data } = await search({ query: 'Tidewater', filters: { date_range: range } })
    expect(data.results.map(record => record.id)).toEqual(['project:tidewater'])
  })

  test('passes the request on to whatever knowledge base the host has', async () => {
    const requests = []
    const own = { search: async request => (requests.push(request), []) }
    const { signal } = new AbortController()
    await search(
      { query: 'abc', namespace: 'public', filters: { type: 'doc' }, return_fields: ['url'] },
      { services: { kb: own }, signal },
    )
    expect(requests).toEqual([
      {
        query: 'abc',
        namespace: 'public',
        filters: { type: 'doc' },
        topK: 5,
        returnFields: ['url'],
        includeSnippets: true,
        signal,
      },
    ])
  })

  test.each([
    [new ServiceError('TIMEOUT', 'slow'), { type: 'TRANSIENT', retryable: true, details: { reason: 'timeout' } }],
    [
      new ServiceError('RATE_LIMIT', 'busy', { retryAfter: 1.5 }),
      { type: 'RATE_LIMIT', retryable: true, retryAfterMs: 1500 },
    ],
    [new ServiceError('INVALID_NAMESPACE', 'what'), { type: 'VALIDATION', retryable: false }],
    [new ServiceError('AUTH_ERROR', 'who'), { type: 'AUTH', retryable: true }],
  ])('a service that fails with %s', async (error, expected) => {
    const broken = {
      search: async () => {
        throw error
      },
    }
    const response = await search({ query: 'abc' }, { services: { kb: broken } })
    expect(response).toMatchObject({ ok: false, error: expected })
    expect(response.error.message).not.toContain(error.message)
  })

  test('an unexpected error of the service is thrown on', async () => {
    const broken = {
      search: async () => {
        throw new RangeError('bug')
      },
    }
    await expect(search({ query: 'abc' }, { services: { kb: broken } })).rejects.toThrow(RangeError)
  })

  test('a cancelled call does not search', async () => {
    await expect(search({ query: 'abc' }, { signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow(
      'cancelled',
    )
  })
})

describe('kb_get', () => {
  test('loads one record', async () => {
    const { ok, data } = await get({ id: 'person:ada_example' })
    expect(ok).toBe(true)
    expectResult('kb_get', data)
    expect(data).toMatchObject({ id: 'person:ada_example', type: 'person', score: 1 })
    expect(data.snippet).toMatch(/^Ada founded Lanternfish Studio/)
    expect(data).not.toHaveProperty('full_text')
  })

  test('with full text and sources', async () => {
    const { data } = await get({ id: 'project:tidewater', return_fields: ['full_text', 'sources'] })
    expectResult('kb_get', data)
    expect(data.full_text).toContain('310,000 euros')
    expect(data.sources).toEqual(['doc:tidewater_brief', 'doc:audio_engine_design'])
  })

  test('an unknown id names the nearest', async () => {
    const response = await get({ id: 'person:ada_exmple' })
    expect(response).toMatchObject({ ok: false, error: { type: 'NOT_FOUND', retryable: false } })
    expect(response.error.details.nearest[0]).toBe('person:ada_example')
    expect(response.error.suggestion).toContain('`person:ada_example`')
  })

  test.each([['zzz'], [''], ['__proto__'], ['constructor']])('`%s` is not found', async id => {
    expect(await get({ id })).toMatchObject({ ok: false, error: { type: 'NOT_FOUND', details: { nearest: [] } } })
  })

  test('a knowledge base that knows no nearest ids is enough', async () => {
    const response = await get({ id: 'x' }, { services: { kb: { get: async () => null } } })
    expect(response).toMatchObject({ ok: false, error: { type: 'NOT_FOUND', details: { nearest: [] } } })
  })

  test('refuses full text in voice', async () => {
    const response = await get({ id: 'project:tidewater', return_fields: ['full_text'] }, { mode: 'voice' })
    expect(response).toMatchObject({ ok: false, error: { type: 'VALIDATION' } })
  })

  test('a service that times out', async () => {
    const broken = {
      get: async () => {
        throw new ServiceError('TIMEOUT', 'slow')
      },
    }
    expect(await get({ id: 'x' }, { services: { kb: broken } })).toMatchObject({
      ok: false,
      error: { type: 'TRANSIENT', retryable: true },
    })
  })
})
