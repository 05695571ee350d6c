// Calls to a well-behaved server: what reaches it, and what comes back.
import { Connection, TOOLS_SERVER, lockOf, outcome, program, sourceOf } from './support.mjs'
import { TOOLS } from './tools-server.mjs'

const opened = async (fields, options) => {
  const followed = program(TOOLS_SERVER, [], fields)
  return { ...followed, ...sourceOf(followed.config, await lockOf(followed.config), options) }
}

test("the answer is the server's, and the list is as published", async () => {
  const { call, config } = await opened()
  const result = await call('add', { a: 1, b: 2 })
  expect(result).toEqual({ content: [{ type: 'text', text: '3' }], structuredContent: { sum: 3 } })
  const { tools, era, protocolVersion } = await lockOf(config)
  expect([era, protocolVersion]).toEqual(['legacy', '2025-11-25'])
  expect(Object.values(tools).map(({ definition }) => definition)).toEqual(TOOLS)
  expect(await outcome(call('unlocked'))).toMatchObject({ type: 'NOT_FOUND', retryable: false })
})

test('the arguments and `_meta` reach the server as they are, and reports of progress come back', async () => {
  const { call } = await opened()
  const args = { undeclared: [1, { deep: null }] }
  const said = await call('said', args, { meta: { 'toolgate/key': 'k' } })
  expect(JSON.parse(said.content[0].text)).toEqual({ args, meta: { 'toolgate/key': 'k' } })
  const reports = []
  expect(await outcome(call('report', {}, { progress: report => reports.push(report) }))).toEqual({ text: 'reported' })
  expect(reports).toEqual([1, 2].map(progress => ({ progress, total: 2, message: 'x'.repeat(1000) })))
})

test.each([
  ['accept', { action: 'accept', content: { name: 'Ada' } }, 'hello Ada'],
  ['decline', { action: 'decline' }, 'no name'],
])('a question of a server of an older generation: %s', async (_, answer, text) => {
  const { call } = await opened()
  const asked = []
  const onQuestion = params => {
    asked.push([params.message, params.requestedSchema.required])
    return answer
  }
  expect(await outcome(call('greet', {}, { onQuestion }))).toEqual({ text })
  expect(asked).toEqual([['Who?', ['name']]])
})

test('two calls in flight on one connection: a question belongs to neither', async () => {
  const { call } = await opened()
  const resting = call('pause', { ms: 300 })
  const onQuestion = () => ({ action: 'accept', content: { name: 'Ada' } })
  expect(await outcome(call('greet', {}, { onQuestion }))).toEqual({ text: 'no name' })
  expect(await outcome(call('greet', {}, { onQuestion, sessionId: 'alone' }))).toEqual({ text: 'hello Ada' })
  await resting
})

test('what a server says of itself', async () => {
  const { config } = await opened()
  const connection = new Connection('tools', config)
  expect(await connection.open()).toEqual({
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'tools', version: '1' },
    capabilities: { tools: { listChanged: true } },
  })
  await connection.close()
})
