// A `null` that stands for "absent" in calls of a model with a strict declaration, and is a value for all others.
import { openGate } from '../support/gate.mjs'

const TOOLS = {
  find: { properties: { query: { type: 'string' }, top_k: { type: 'integer', default: 5 } }, required: ['query'] },
  say: { properties: { text: { type: 'string' } } },
}
const args = { query: 'tea', top_k: null }
// A repair would drop such a null too, and say so.
const open = options => openGate(TOOLS, { repair: false, ...options })

async function find(registry) {
  const answer = await registry.executeTool('find', { args })
  return answer.ok ? answer.data : answer.error.details.map(({ keyword, instancePath }) => [keyword, instancePath])
}
const REFUSED = [['type', '/top_k']]
const COMPLETED = { query: 'tea', top_k: 5 }

test('a null is a value until the strict declaration was given', async () => {
  const { registry } = await open()
  registry.getProviderSchemas('openai')
  registry.getProviderSchemas('openaiRealtime')
  expect(await find(registry)).toEqual(REFUSED)
  registry.getProviderSchemas('openaiStrict')
  expect(await find(registry)).toEqual(COMPLETED)
})

test('the flat declaration of Responses is strict too, and sessions read nulls likewise', async () => {
  const { registry } = await open()
  const session = await registry.createSession({ mode: 'text' })
  const call = () => session.execute({ name: 'find', args })
  expect(await call()).toMatchObject({ ok: false, error: { type: 'VALIDATION' } })
  registry.getProviderSchemas('openaiResponses')
  expect(await call()).toMatchObject({ ok: true, data: COMPLETED, meta: { defaulted: ['/top_k'] } })
})

test('only a tool that was declared strictly', async () => {
  const set = { properties: { labels: { type: 'object' }, note: { type: 'string' } }, required: ['labels'] }
  const { registry } = await openGate({ ...TOOLS, set }, { repair: false })
  registry.getProviderSchemas('openaiStrict')
  const answer = await registry.executeTool('set', { args: { labels: {}, note: null } })
  expect(answer).toMatchObject({ ok: false, error: { details: [{ keyword: 'type', instancePath: '/note' }] } })
})

test('the host decides for all calls', async () => {
  const always = await open({ strictNulls: true })
  expect(await find(always.registry)).toEqual(COMPLETED)
  const never = await open({ strictNulls: false })
  never.registry.getProviderSchemas('openaiStrict')
  expect(await find(never.registry)).toEqual(REFUSED)
})

test.each([['yes'], [null], [1]])('`strictNulls: %p` throws', async strictNulls => {
  await expect(open({ strictNulls })).rejects.toThrow(new TypeError('`strictNulls` must be true or false'))
})

test('a look at the metadata sends nothing to a model', async () => {
  const { registry } = await open()
  expect(registry.getToolMetadata('find').providerSchemas.openaiStrict.function.strict).toBe(true)
  expect(await find(registry)).toEqual(REFUSED)
})
