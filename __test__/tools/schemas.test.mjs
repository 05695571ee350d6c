// Every tool folder against the contract of a tool, with Ajv as a judge that shares no code with the compiler.
import { readFileSync } from 'node:fs'

import { compile, readTool, schemaOf, toolIds } from './support/tool-files.mjs'

const SEMVER = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/
const SHARED_IMPORT = /^\.\.\/(_core\/(error-types|tool-response)|_services\/[a-z-]+)\.js$/

const jsonBlocks = guide => [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(match => JSON.parse(match[1]))
const summaryOf = guide => guide.split('\n').find(line => line.trim() !== '' && !line.startsWith('#'))
const propertyNames = schema =>
  Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [name, ...propertyNames(inner)])

function openObjects(schema, path = '') {
  const own = schema.type === 'object' && schema.properties && schema.additionalProperties !== false ? [path] : []
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    openObjects(child, `${path}/${name}`),
  )
  return [...own, ...inner]
}

test('the shipped tools are there', () => {
  expect(toolIds.toSorted()).toEqual(Object.keys(contract).toSorted())
})

test('the README has the modes of each', () => {
  const text = readFileSync('tools/README.md', 'utf8')
  const rows = [
    ...text
      .slice(text.indexOf('## The shipped tools'))
      .matchAll(/^\| ((?:`\w+`(?:, )?)+) \| ((?:text|voice|webcam)(?:, \w+)*) \| /gm),
  ]
  const modes = rows.flatMap(([, names, list]) => [...names.matchAll(/\w+/g)].map(([id]) => [id, list.split(', ')]))
  expect(Object.fromEntries(modes)).toEqual(Object.fromEntries(toolIds.map(id => [id, schemaOf(id).allowedModes])))
})

describe.each(toolIds)('%s', id => {
  const schema = schemaOf(id)
  const guide = readTool(id, 'guide.md')

  test('identity and metadata are well formed', () => {
    expect(schema.toolId).toBe(id)
    expect(schema.toolId).toMatch(/^[a-z][a-z0-9_]{0,63}$/)
    expect(schema.version).toMatch(SEMVER)
    expect(schema.description.length).toBeGreaterThan(20)
    expect(['retrieval', 'action', 'utility']).toContain(schema.category)
    expect(['none', 'read_only', 'writes']).toContain(schema.sideEffects)
    expect(typeof schema.idempotent).toBe('boolean')
    expect(typeof schema.requiresConfirmation).toBe('boolean')
    expect(schema.allowedModes.length).toBeGreaterThan(0)
    expect(schema.latencyBudgetMs).toBeGreaterThan(0)
  })

  test('parameters are a closed object in valid draft 2020-12', () => {
    expect(schema.parameters).toMatchObject({ type: 'object', additionalProperties: false })
    expect(openObjects(schema.parameters)).toEqual([])
    expect(() => compile(schema.parameters)).not.toThrow()
    expect(compile(schema.parameters)({ surprise: 1 })).toBe(false)
  })

  test('defaults satisfy their own schema', () => {
    for (const [name, property] of Object.entries(schema.parameters.properties)) {
      if (!('default' in property)) continue
      const validate = compile(property)
      validate(property.default)
      expect({ name, errors: validate.errors }).toEqual({ name, errors: null })
    }
  })

  test('a retrieval tool neither writes nor changes its answer by being asked twice', () => {
    if (schema.category !== 'retrieval') return
    expect(schema).toMatchObject({ sideEffects: 'read_only', idempotent: true })
  })

  test('examples in the schema and in the guide are valid arguments', () => {
    const validate = compile(schema.parameters)
    const examples = [...schema.examples, ...jsonBlocks(guide)]
    expect(jsonBlocks(guide).length).toBeGreaterThan(1)
    for (const example of examples) {
      validate(example)
      expect({ example, errors: validate.errors }).toEqual({ example, errors: null })
    }
  })

  test('the guide has a summary, its sections, and each parameter', () => {
    expect(guide).toMatch(new RegExp(`^# ${id}\n`))
    expect(summaryOf(guide).length).toBeLessThanOrEqual(250)
    expect(guide).toMatch(/^## Parameters$/m)
    expect(guide).toMatch(/^## Examples$/m)
    for (const name of propertyNames(schema.parameters)) expect(guide).toContain(`\`${name}\``)
  })

  test('the handler imports only the contract and the shared services', () => {
    const specifiers = [...readTool(id, 'handler.js').matchAll(/from '([^']+)'/g)].map(match => match[1])
    for (const specifier of specifiers) expect(specifier).toMatch(SHARED_IMPORT)
  })

  test('the handler exports execute', async () => {
    const handler = await import(`../../tools/${id}/handler.js`)
    expect(typeof handler.execute).toBe('function')
  })
})

const contract = {
  ignore_user: ['action', 'writes', false, ['text', 'voice'], 1000, undefined, ['writes-without-confirmation']],
  start_voice_session: ['utility', 'writes', false, ['text'], 500, undefined, ['utility-writes']],
  end_voice_session: ['action', 'none', true, ['voice'], 500, undefined, undefined],
  kb_search: ['retrieval', 'read_only', true, ['text', 'voice'], 800, ['kb'], undefined],
  kb_get: ['retrieval', 'read_only', true, ['text', 'voice'], 500, ['kb'], undefined],
  calendar_get_availability: ['retrieval', 'read_only', true, ['text', 'voice'], 1500, ['calendar'], undefined],
  calendar_create_event: ['action', 'writes', false, ['text', 'voice'], 3000, ['calendar'], undefined],
  linkedin_lookup: ['retrieval', 'read_only', true, ['text', 'voice'], 500, ['kb'], undefined],
  create_calendar_widget: ['retrieval', 'read_only', true, ['text'], 1500, ['calendar'], undefined],
  image_draft_prompt: ['utility', 'none', true, ['text'], 1500, ['llm'], undefined],
  image_generate: ['action', 'writes', false, ['text'], 5000, ['image'], undefined],
  extract_contacts: ['utility', 'none', true, ['text'], 200, undefined, undefined],
  rank_results: ['utility', 'none', true, ['text', 'voice'], 200, undefined, undefined],
  format_datetime: ['utility', 'none', true, ['text', 'voice'], 50, undefined, undefined],
  search_web: ['retrieval', 'read_only', true, ['text', 'voice', 'webcam'], 2000, ['search'], undefined],
  extract_action_items: ['utility', 'none', true, ['text', 'voice'], 2000, ['llm'], undefined],
  calculate_roi: ['utility', 'none', true, ['text', 'voice'], 100, undefined, undefined],
  generate_summary_preview: ['utility', 'none', true, ['text', 'voice'], 3000, ['llm'], undefined],
  draft_follow_up_email: ['utility', 'none', true, ['text', 'voice'], 3000, ['llm'], undefined],
  generate_proposal_draft: ['utility', 'none', true, ['text', 'voice'], 45000, ['llm'], undefined],
  capture_screen_snapshot: ['retrieval', 'read_only', true, ['text', 'voice', 'webcam'], 1500, ['vision'], undefined],
  capture_webcam_snapshot: ['retrieval', 'read_only', true, ['text', 'voice', 'webcam'], 1500, ['vision'], undefined],
  validate_email: ['utility', 'none', true, ['text', 'voice'], 50, undefined, undefined],
  create_chart: ['utility', 'none', true, ['text'], 200, undefined, undefined],
  get_dashboard_stats: ['retrieval', 'read_only', true, ['text', 'voice'], 1500, ['dashboard'], ['voice-set-large']],
  reg_search: ['utility', 'none', true, ['text', 'voice', 'webcam'], 50, ['registry'], undefined],
  reg_describe: ['utility', 'none', true, ['text', 'voice', 'webcam'], 50, ['registry'], undefined],
  call_status: ['utility', 'read_only', true, ['text', 'voice'], 200, ['registry'], ['voice-set-large']],
  call_cancel: ['utility', 'writes', true, ['text', 'voice'], 200, ['registry'], ['utility-writes', 'voice-set-large']],
}
const confirmed = ['calendar_create_event', 'image_generate']

test.each(Object.entries(contract))('%s keeps its published contract', (id, expected) => {
  const {
    category,
    sideEffects,
    idempotent,
    allowedModes,
    latencyBudgetMs,
    requires,
    lintAccepted,
    requiresConfirmation,
  } = schemaOf(id)
  expect([category, sideEffects, idempotent, allowedModes, latencyBudgetMs, requires, lintAccepted]).toEqual(expected)
  expect(requiresConfirmation).toBe(confirmed.includes(id))
})

test('what only one tool has', () => {
  expect(schemaOf('generate_proposal_draft').timeoutMs).toBe(false)
  expect(schemaOf('get_dashboard_stats').requiredRoles).toEqual(['admin'])
  expect(schemaOf('image_generate').confirmation).toEqual({ preview: 'Generate image: "{prompt:50}"' })
})

describe('limits of arguments', () => {
  const text = length => 'x'.repeat(length)
  const range = { start_date: '2026-11-23T09:00:00+01:00', end_date: '2026-11-24T09:00:00+01:00' }
  const people = count => Array.from({ length: count }, (_, at) => `person${at}@example.com`)
  const event = {
    title: 'x',
    start_time: '2026-11-23T09:00:00Z',
    end_time: '2026-11-23T10:00:00Z',
    attendees: people(1),
  }
  const cases = [
    ['ignore_user', { duration_seconds: 30, farewell_message: text(200) }, true],
    ['ignore_user', { duration_seconds: 29.9, farewell_message: '' }, false],
    ['ignore_user', { duration_seconds: 86400.5, farewell_message: '' }, false],
    ['ignore_user', { duration_seconds: 60, farewell_message: text(201) }, false],
    ['ignore_user', { duration_seconds: '60', farewell_message: '' }, false],
    ['ignore_user', { duration_seconds: 60 }, false],
    ['start_voice_session', { pending_request: text(500) }, true],
    ['start_voice_session', { pending_request: text(501) }, false],
    ['end_voice_session', { reason: text(200), final_message: text(300), text_response: text(2000) }, true],
    ['end_voice_session', { reason: text(201) }, false],
    ['end_voice_session', { final_message: text(301) }, false],
    ['end_voice_session', { text_response: text(2001) }, false],
    ['kb_search', { query: 'abc' }, true],
    ['kb_search', { query: '' }, false],
    ['kb_search', { query: 'AI' }, true],
    ['kb_search', { query: 'R' }, true],
    ['kb_search', { query: text(501) }, false],
    ['kb_search', { query: 'abc', top_k: 0 }, false],
    ['kb_search', { query: 'abc', top_k: 11 }, false],
    ['kb_search', { query: 'abc', top_k: 2.5 }, false],
    ['kb_search', { query: 'abc', namespace: 'secret' }, false],
    ['kb_search', { query: 'abc', filters: { tags: ['a', 'b', 'c', 'd', 'e'] } }, true],
    ['kb_search', { query: 'abc', filters: { tags: ['a', 'b', 'c', 'd', 'e', 'f'] } }, false],
    ['kb_search', { query: 'abc', filters: { owner: 'x' } }, false],
    ['kb_search', { query: 'abc', filters: { date_range: { start: 'yesterday' } } }, false],
    ['kb_search', { query: 'abc', return_fields: ['url', 'url'] }, false],
    ['kb_search', { query: 'abc', return_fields: ['title'] }, false],
    ['calendar_get_availability', range, true],
    ['calendar_get_availability', { ...range, end_date: 'tomorrow' }, false],
    ['calendar_get_availability', { ...range, end_date: '2026-11-24' }, false],
    ['calendar_get_availability', { start_date: range.start_date }, false],
    ['calendar_get_availability', { ...range, calendars: ['primary', 'team', 'personal'] }, true],
    ['calendar_get_availability', { ...range, calendars: [] }, false],
    ['calendar_get_availability', { ...range, calendars: ['team', 'team'] }, false],
    ['calendar_get_availability', { ...range, calendars: ['boss'] }, false],
    ['calendar_get_availability', { ...range, min_duration_minutes: 15 }, true],
    ['calendar_get_availability', { ...range, min_duration_minutes: 14 }, false],
    ['calendar_get_availability', { ...range, min_duration_minutes: 480 }, true],
    ['calendar_get_availability', { ...range, min_duration_minutes: 481 }, false],
    ['calendar_get_availability', { ...range, min_duration_minutes: 20.5 }, false],
    ['calendar_create_event', { ...event, title: text(200), description: text(2000), attendees: people(50) }, true],
    ['calendar_create_event', { ...event, title: text(201) }, false],
    ['calendar_create_event', { ...event, title: '' }, false],
    ['calendar_create_event', { ...event, description: text(2001) }, false],
    ['calendar_create_event', { ...event, attendees: [] }, false],
    ['calendar_create_event', { ...event, attendees: people(51) }, false],
    ['calendar_create_event', { ...event, attendees: ['Ada'] }, false],
    ['calendar_create_event', { ...event, start_time: '2026-11-23T09:00:00' }, false],
    ['kb_get', {}, false],
    ['kb_get', { id: 'person:ada_example', return_fields: ['full_text'] }, true],
  ]
  test.each(cases)('%s %j is valid: %s', (id, args, isValid) => {
    expect(compile(schemaOf(id).parameters)(args)).toBe(isValid)
  })
})
