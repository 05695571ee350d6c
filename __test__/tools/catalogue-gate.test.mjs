// Each tool of the catalogue once through a real session, with the embedded services. The handlers are given, because
// jest's loader can't link modules that several imports at once have in common.
import { createRegistry, toModelResponse } from '../../index.js'
import { handlers } from '../../tools/handlers.mjs'
import { createAuditCounter } from '../../tools/_services/dashboard.js'
import { embeddedServices } from '../../tools/_services/embedded.js'
import { createImageService } from '../../tools/_services/image-service.js'
import { createPlaceholderImages } from '../../tools/_services/placeholder-images.js'
import { gateway } from '../support/gate.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'
import { png } from './support/images.mjs'
import { INJECTION } from './support/run-tool.mjs'
import { expectResult, schemaOf, toolIds } from './support/tool-files.mjs'

async function open({ services = {}, ...options } = {}) {
  const lines = []
  const audit = createAuditCounter()
  let registry = null
  const embedded = await embeddedServices({ calendarFolder: temporaryFolder(), registry: () => registry, audit })
  const sink = line => (lines.push(line), audit.count(line))
  registry = createRegistry({ handlers, services: { ...embedded, ...services }, audit: sink, onHandlerError: () => {} })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  const session = await registry.createSession({ mode: 'text', sessionId: 'catalogue-session', ...options })
  let calls = 0
  const call = (name, args) => session.execute({ id: `call_catalogue_${(calls += 1)}`, name, args })
  return { registry, session, call, lines, embedded }
}

const day = { start_date: '2126-11-25T09:00:00+01:00', end_date: '2126-11-25T10:00:00+01:00' }
const chart = { type: 'bar', title: 'T', data: [{ q: 'Q1', r: 1 }], x: 'q', y: ['r'] }
const text = 'Mirela will send the estimate by Friday.'
const calls = [
  ['validate_email', { email: 'ada@example.com' }, { valid: true, reason: null }],
  [
    'format_datetime',
    { value: '2026-11-23T09:00:00Z', style: 'date' },
    { formatted: 'November 23, 2026', time_zone: 'UTC' },
  ],
  ['calculate_roi', { investment: 100, gains: 110 }, { roi_percent: 10, period: 1 }],
  ['rank_results', { results: [{ id: 'a', score: 1 }] }, { ranked: [{ rank: 1, id: 'a', score: 0.7 }] }],
  [
    'extract_contacts',
    { text: 'Ada Example, ada@example.com' },
    { contacts: [{ name: 'Ada Example', emails: ['ada@example.com'] }] },
  ],
  ['linkedin_lookup', { person: 'Ada Example' }, { person_id: 'person:ada_example' }],
  ['create_chart', chart, { series: ['r'], rows: [{ q: 'Q1', r: 1 }] }],
  [
    'create_calendar_widget',
    day,
    { slots: [{ start: '2126-11-25T09:00:00+01:00' }, { start: '2126-11-25T09:30:00+01:00' }] },
  ],
  ['search_web', { query: 'newsletter' }, { source: 'knowledge base, public namespace (not the web)' }],
  ['extract_action_items', { text }, { items: [{ owner: 'Mirela', due: 'Friday' }], simulated: true }],
  ['generate_summary_preview', { text }, { facts: [text], simulated: true }],
  ['draft_follow_up_email', { recipient: 'Ada', facts: [text] }, { facts: [text], simulated: true }],
  ['generate_proposal_draft', { client: 'A', need: 'B', facts: [text] }, { title: 'Proposal for A', simulated: true }],
  ['image_draft_prompt', { idea: 'a cup', count: 1 }, { facts: ['Idea: a cup'], simulated: true }],
  ['capture_screen_snapshot', {}, { kind: 'screen', width: 640, analysis_status: 'none' }],
  ['capture_webcam_snapshot', {}, { kind: 'webcam', height: 480, analysis: null }],
  ['get_dashboard_stats', {}, { totals: { calls: 0 }, audit: { events: { session_started: 1 } } }],
  ['reg_search', { query: 'return on investment', limit: 1 }, { tools: [{ toolId: 'calculate_roi' }] }],
  ['call_status', {}, { calls: [] }],
  ['reg_describe', { tool_id: 'kb_get' }, { toolId: 'kb_get', schema: { required: ['id'] } }],
]

test.each(calls)('%s', async (name, args, expected) => {
  const { call, embedded } = await open({ roles: ['admin'] })
  for (const kind of ['screen', 'webcam']) embedded.vision.put('catalogue-session', kind, png())
  const response = await call(name, args)
  expect(response).toMatchObject({ ok: true, data: expected })
  expectResult(name, response.data)
})

test('these, the confirmed and the earlier tools are the whole catalogue', () => {
  const earlier = [
    'ignore_user',
    'start_voice_session',
    'end_voice_session',
    'kb_search',
    'kb_get',
    'calendar_get_availability',
    'calendar_create_event',
  ]
  expect([...calls.map(([name]) => name), 'image_generate', 'call_cancel', ...earlier].toSorted()).toEqual(
    toolIds.toSorted(),
  )
})

test('bad arguments are VALIDATION with a pointer, for each', async () => {
  const { call } = await open({ roles: ['admin'] })
  const bad = [
    ['validate_email', { email: {} }, '/email'],
    ['format_datetime', { value: 'tomorrow' }, '/value'],
    ['calculate_roi', { investment: 0, gains: 1 }, '/investment'],
    ['rank_results', { results: [{ id: 'a', score: 2 }] }, '/results/0/score'],
    ['extract_contacts', { text: 'x', region: 'Germany' }, '/region'],
    ['linkedin_lookup', { person: 'A' }, '/person'],
    ['create_chart', { ...chart, data: [{ q: ['Q1'] }] }, '/data/0/q'],
    ['create_calendar_widget', { ...day, min_duration_minutes: 1 }, '/min_duration_minutes'],
    ['search_web', { query: 'x', urls: ['file:///etc/passwd'] }, '/urls/0'],
    ['extract_action_items', { text: ' ' }, '/text'],
    ['generate_summary_preview', { text, max_sentences: 9 }, '/max_sentences'],
    ['draft_follow_up_email', { recipient: 'Ada', facts: [] }, '/facts'],
    ['image_draft_prompt', { idea: 'x', count: 5 }, '/count'],
    ['image_generate', { prompt: ' ' }, '/prompt'],
    ['capture_screen_snapshot', { max_age_seconds: 0 }, '/max_age_seconds'],
  ]
  const session = await open({ roles: ['admin'], services: { image: createImageService(createPlaceholderImages()) } })
  for (const [name, args, instancePath] of bad) {
    const response = await session.call(name, args)
    expect([name, response]).toMatchObject([
      name,
      { ok: false, error: { type: 'VALIDATION', details: [{ instancePath }] } },
    ])
  }
  expect((await call('image_generate', { prompt: 'x' })).error.type).toBe('NOT_FOUND')
})

describe('image_generate', () => {
  test('is hidden without a service', async () => {
    const { registry, call } = await open()
    expect(registry.getSummaries({ mode: 'text' })).not.toContain('image_generate')
    expect(await call('image_generate', { prompt: 'A cup' })).toMatchObject({
      ok: false,
      error: { type: 'NOT_FOUND', details: { missingServices: ['image'] } },
    })
  })

  test('asks with the beginning of the prompt, and makes one image', async () => {
    let made = 0
    const placeholder = createPlaceholderImages()
    const image = createImageService({ generate: (...args) => ((made += 1), placeholder.generate(...args)) })
    const { session } = await open({ services: { image } })
    const prompt = `A lighthouse made of books, ${'very '.repeat(20)}tall`
    const ask = () => session.execute({ id: 'call_image_0001', name: 'image_generate', args: { prompt } })
    const asked = await ask()
    const { token, preview } = asked.error.confirmation_request
    expect(preview).toBe(`Generate image: "${prompt.slice(0, 50)}…"`)
    expect(JSON.stringify(toModelResponse(asked))).not.toContain(token)
    expect(made).toBe(0)
    const done = await session.confirm(token)
    expect(done).toMatchObject({ ok: true, data: { media_type: 'image/svg+xml', simulated: true } })
    expect(image.get(done.data.image_id).bytes.length).toBe(done.data.bytes)
    expect((await ask()).data).toEqual(done.data)
    expect(made).toBe(1)
  })
})

describe('get_dashboard_stats', () => {
  test('is for administrators', async () => {
    const { call } = await open()
    expect(await call('get_dashboard_stats', {})).toMatchObject({
      ok: false,
      error: { type: 'AUTH', retryable: false },
    })
  })

  test('counts what the gate did, the asking call aside', async () => {
    const { call } = await open({ roles: ['admin'] })
    await call('calculate_roi', { investment: 1, gains: 1 })
    await call('calculate_roi', { investment: 0, gains: 1 })
    await call('no_such_tool', {})
    const { data } = await call('get_dashboard_stats', { limit: 1 })
    expect(data.totals).toMatchObject({ calls: 3, errors: 2, error_percent: 66.7 })
    expect(data.tools).toEqual([
      {
        tool_id: 'calculate_roi',
        mode: 'text',
        calls: 2,
        errors: { VALIDATION: 1 },
        p50_ms: expect.any(Number),
        p95_ms: expect.any(Number),
        p99_ms: expect.any(Number),
      },
    ])
    expect(data.more_tools).toBe(1)
    expect(data.audit.events).toMatchObject({ tool_execution: 1, tool_refused: 2 })
  })
})

test('modes are kept', async () => {
  const inMode = async (mode, name, args) => (await (await open({ mode })).call(name, args)).error?.type ?? 'ok'
  const textOnly = [
    ['create_chart', chart],
    ['create_calendar_widget', day],
    ['extract_contacts', { text }],
    ['image_draft_prompt', { idea: 'x' }],
  ]
  for (const [name, args] of textOnly)
    expect([name, await inMode('voice', name, args)]).toEqual([name, 'MODE_RESTRICTED'])
  expect(await inMode('webcam', 'search_web', { query: 'newsletter' })).toBe('ok')
  expect(await inMode('webcam', 'capture_screen_snapshot', {})).toBe('NOT_FOUND')
  expect(await inMode('webcam', 'validate_email', { email: 'x' })).toBe('MODE_RESTRICTED')
  expect(await inMode('voice', 'generate_proposal_draft', { client: 'A', need: 'B', facts: [text] })).toBe('ok')
})

test('a service that throws or answers garbage gives one typed answer for each tool', async () => {
  const needing = service => toolIds.filter(id => schemaOf(id).requires?.includes(service))
  const argsOf = Object.fromEntries(calls.map(([name, args]) => [name, args]))
  const member = { search: 'search', llm: 'generate', vision: 'latest', dashboard: 'getStats' }
  const broken = [
    () => {
      throw new Error('password=hunter2 at /srv/app')
    },
    async () => ({ results: 1, text: 1, metrics: 1 }),
    async () => undefined,
  ]
  const askAll = async (service, behaviour) => {
    const { call } = await open({ roles: ['admin'], services: { [service]: { [member[service]]: behaviour } } })
    return Promise.all(needing(service).map(async id => ({ id, ...(await call(id, argsOf[id])) })))
  }
  const asked = Object.keys(member).flatMap(service => broken.map(behaviour => askAll(service, behaviour)))
  const responses = (await Promise.all(asked)).flat()
  expect(new Set(responses.map(({ id }) => id)).size).toBe(9)
  for (const { id, ok, error } of responses) {
    expect([id, ok, error.type]).toEqual([id, false, expect.stringMatching(/^(TRANSIENT|INTERNAL|NOT_FOUND)$/)])
  }
  expect(JSON.stringify(responses)).not.toMatch(/hunter2|\/srv/)
})

test('a call that waits for a hanging model can be cancelled', async () => {
  const begun = gateway()
  const generate = () => {
    begun.open()
    return new Promise(() => {})
  }
  const { session } = await open({ services: { llm: { generate } } })
  const args = { client: 'A', need: 'B', facts: [text] }
  const waiting = session.execute({ id: 'call_proposal_0001', name: 'generate_proposal_draft', args })
  await begun.passed
  expect(session.cancel('call_proposal_0001', 'the user left')).toBe(true)
  expect((await waiting).error.type).toBe('CANCELLED')
})

test('instructions in data change nothing', async () => {
  const { call, lines } = await open()
  await call('extract_action_items', { text: `${INJECTION}. Eve will send 1 million euros by Friday.` })
  const { data } = await call('extract_contacts', { text: `${INJECTION}\neve@example.com` })
  expect(data.contacts).toEqual([{ name: null, emails: ['eve@example.com'], phones: [], urls: [] }])
  const executed = lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'tool_execution')
  expect(executed.map(({ toolId }) => toolId)).toEqual(['extract_action_items', 'extract_contacts'])
})
