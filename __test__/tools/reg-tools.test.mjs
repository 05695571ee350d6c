// `reg_search` and `reg_describe` over the shipped tools, through sessions of the gate.
import { createRegistry } from '../../index.js'
import { handlers } from '../../tools/handlers.mjs'
import { embeddedServices } from '../../tools/_services/embedded.js'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'
import { INJECTION } from './support/run-tool.mjs'
import { expectResult, readTool, schemaOf } from './support/tool-files.mjs'

async function open(options = {}) {
  let registry = null
  const services = await embeddedServices({ calendarFolder: temporaryFolder(), registry: () => registry })
  registry = createRegistry({ handlers, services })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  const session = await registry.createSession({ mode: 'text', ...options })
  let calls = 0
  return async (name, args) => {
    const response = await session.execute({ id: `call_reg_${(calls += 1)}`, name, args })
    if (response.ok) expectResult(name, response.data)
    return response
  }
}

const ids = ({ data }) => data.tools.map(({ toolId }) => toolId)

describe('reg_search', () => {
  test.each([
    ['when is everybody free next week', 'calendar_get_availability'],
    ['put a meeting into the calendar', 'calendar_create_event'],
    ['look up our internal processes', 'kb_search'],
    ['draw a bar chart', 'create_chart'],
    ['is this e-mail address well formed', 'validate_email'],
    ['make a picture', 'image_draft_prompt'],
  ])('%s: %s', async (query, toolId) => {
    const call = await open()
    expect(ids(await call('reg_search', { query }))).toContain(toolId)
  })

  test('the best match is first, with what a model needs to choose', async () => {
    const call = await open()
    const { data } = await call('reg_search', { query: 'return on investment of a project' })
    const [first] = data.tools
    expect(first).toMatchObject({
      toolId: 'calculate_roi',
      title: schemaOf('calculate_roi').title,
      category: 'utility',
    })
    expect(data.tools).toHaveLength(5)
    const scores = data.tools.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((one, other) => other - one))
  })

  test('category and limit', async () => {
    const call = await open()
    const { data } = await call('reg_search', { query: 'calendar event', category: 'retrieval', limit: 2 })
    expect(data.tools.map(({ category }) => category)).toEqual(['retrieval', 'retrieval'])
  })

  test('tools of another mode, of absent services and of roles are not found', async () => {
    const query = { query: 'usage statistics, calendar, image', limit: 10 }
    const text = ids(await (await open())('reg_search', query))
    expect(text).toContain('calendar_get_availability')
    expect(text).not.toContain('get_dashboard_stats')
    expect(text).not.toContain('image_generate')
    expect(ids(await (await open({ roles: ['admin'] }))('reg_search', query))).toContain('get_dashboard_stats')
    const webcam = ids(await (await open({ mode: 'webcam' }))('reg_search', query))
    expect(webcam).not.toContain('calendar_get_availability')
  })

  test.each([['天気を調べる'], [INJECTION], ['the of and'], ['\u{1f600}\u{1f600}'], ['x'.repeat(500)]])(
    'a query that fits no tool is a success: %j',
    async query => {
      const call = await open()
      const response = await call('reg_search', { query })
      expect(response.ok).toBe(true)
      expect(Array.isArray(response.data.tools)).toBe(true)
    },
  )

  test.each([
    {},
    { query: 'x' },
    { query: 'x'.repeat(501) },
    { query: 'mail', limit: 11 },
    { query: 'mail', limit: 0 },
  ])('refused: %j', async args => {
    const call = await open()
    expect(await call('reg_search', args)).toMatchObject({ ok: false, error: { type: 'VALIDATION' } })
  })
})

describe('reg_describe', () => {
  test('documentation, schema and examples', async () => {
    const call = await open()
    const { data } = await call('reg_describe', { tool_id: 'kb_search' })
    const { parameters, examples, description } = schemaOf('kb_search')
    expect(data).toMatchObject({
      toolId: 'kb_search',
      description,
      examples,
      schema: { required: parameters.required },
    })
    expect(Object.keys(data.schema.properties)).toEqual(Object.keys(parameters.properties))
    expect(data.documentation.trim()).toBe(readTool('kb_search', 'guide.md').trim())
  })

  test('an unknown tool is NOT_FOUND with similar ids', async () => {
    const call = await open()
    const response = await call('reg_describe', { tool_id: 'kb_serach' })
    expect(response).toMatchObject({
      ok: false,
      error: { type: 'NOT_FOUND', suggestion: expect.stringContaining('`kb_search`') },
    })
    expect(response.error.details.nearest[0]).toBe('kb_search')
    const { error } = await call('reg_describe', { tool_id: '☃' })
    expect(error).toMatchObject({ type: 'NOT_FOUND', details: { nearest: [] } })
  })

  test('a tool that the session may not use counts as unknown', async () => {
    const call = await open()
    for (const tool_id of ['get_dashboard_stats', 'end_voice_session', 'image_generate']) {
      const { error } = await call('reg_describe', { tool_id })
      expect(error.type).toBe('NOT_FOUND')
      expect(error.details.nearest).not.toContain(tool_id)
    }
    const admin = await open({ roles: ['admin'] })
    expect((await admin('reg_describe', { tool_id: 'get_dashboard_stats' })).ok).toBe(true)
  })

  test('the longest documentation of the shipped tools is sent whole', async () => {
    const call = await open({ mode: 'voice' })
    const { data, meta } = await call('reg_describe', { tool_id: 'kb_search' })
    expect(meta.truncated).toBeUndefined()
    expect(data.documentation.length).toBeGreaterThan(1000)
  })
})
