// Calls to a well-behaved server: what reaches it, and what comes back.
import { TOOLS_SERVER, lockOf, outcome, program, sourceOf } from './support.mjs'
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
