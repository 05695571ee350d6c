// The tools that MCP clients see, as they change: a source changes one, or the registry is reloaded.
import { InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

import { createMcpServer } from '../../js/mcp/index.js'
import { attached, connectClient, envelopeOf, modernClient } from '../mcp/support.mjs'
import { connected, serving } from '../mcp/http-support.mjs'
import { eventually, openGate } from '../support/gate.mjs'
import { afterTest, compileTools, writeTools } from '../support/tool-set.mjs'
import { answering, text } from './served.mjs'

const look = { result: { content: [text('seen')] } }
const find = { result: { content: [text('found')] } }
const changed = { ...look, description: 'Does something else.' }

/** Counts what a client hears of changes. */
function heard(client) {
  const news = { count: 0 }
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    news.count += 1
  })
  return news
}
const names = async client => (await client.listTools()).tools.map(({ name }) => name)

test('a tool that its server changes leaves the list, and comes back with the accepted definition', async () => {
  const { registry, rewrite } = await answering({ look, find, 'get-it': find })
  const { client } = await attached(registry)
  const news = heard(client)
  expect(await names(client)).toEqual(['shop_find', 'shop_get-it', 'shop_look'])
  rewrite({ look: changed, find, 'get-it': { ...find, title: 'Another' } })
  await eventually(() => news.count > 0, 'the news')
  expect(await names(client)).toEqual(['shop_find'])
  // Two tools at a time are one piece of news.
  expect(news.count).toBe(1)
  // A client that does not list again learns why.
  for (const name of ['shop_look', 'shop_get-it'])
    expect(envelopeOf(await client.callTool({ name })).error).toMatchObject({
      type: 'NOT_FOUND',
      details: { reason: 'definition_changed' },
    })
  rewrite({ look, find, 'get-it': find })
  await eventually(() => news.count === 2, 'the second news')
  expect(await names(client)).toEqual(['shop_find', 'shop_get-it', 'shop_look'])
  expect(envelopeOf(await client.callTool({ name: 'shop_look' }))).toMatchObject({ data: { text: 'seen' } })
})

test.each([
  ['2025-11-25', {}],
  ['2026-07-28', modernClient],
])('a client of %s hears of it over HTTP', async (_, user) => {
  const { registry, rewrite } = await answering({ look, find })
  const { url } = await serving(registry)
  const { client } = await connected(url, user)
  const news = heard(client)
  expect(await names(client)).toEqual(['shop_find', 'shop_look'])
  if (user === modernClient) {
    const subscription = await client.listen({ toolsListChanged: true })
    afterTest(() => subscription.close())
  }
  rewrite({ look: changed, find })
  await eventually(() => news.count > 0, 'the news')
  expect(await names(client)).toEqual(['shop_find'])
})

test('a client of 2026-07-28 that has subscribed hears of it on its connection', async () => {
  const { registry, rewrite } = await answering({ look, find })
  const [here, there] = InMemoryTransport.createLinkedPair()
  const server = serveStdio(() => createMcpServer(registry), { transport: there })
  afterTest(() => server.close())
  const { client } = await connectClient(here, modernClient)
  const news = heard(client)
  const subscription = await client.listen({ toolsListChanged: true })
  afterTest(() => subscription.close())
  expect(await names(client)).toEqual(['shop_find', 'shop_look'])
  rewrite({ look: changed, find })
  await eventually(() => news.count > 0, 'the news')
  expect(await names(client)).toEqual(['shop_find'])
})

test('after a reload a client sees the new tools, and its session has them from the next call on', async () => {
  const { registry, folder } = await openGate({ one: {} })
  const { client } = await attached(registry)
  const news = heard(client)
  expect(await names(client)).toEqual(['one'])
  expect(envelopeOf(await client.callTool({ name: 'one' }))).toEqual({ ok: true, data: {} })
  writeTools(folder, { two: {} })
  await compileTools(folder)
  await registry.reload()
  await eventually(() => news.count > 0, 'the news')
  expect(await names(client)).toEqual(['one', 'two'])
  await client.callTool({ name: 'one' })
  expect(envelopeOf(await client.callTool({ name: 'two' }))).toEqual({ ok: true, data: {} })
})

test('a client that has gone, and one that has not begun, are told nothing', async () => {
  const { registry, rewrite, lines } = await answering({ look, find })
  const { client, frames } = await attached(registry)
  await client.close()
  const before = frames.length
  rewrite({ look: changed, find })
  await eventually(() => lines.some(({ event }) => event === 'definition_drift'), 'the drift')
  expect(frames.length).toBe(before)
})

describe('an output schema of a source', () => {
  const data = { text: 'x'.repeat(6000), n: 1 }
  const result = { content: [], structuredContent: data }
  const schemas = {
    'of draft-07': {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' } },
    },
    'with a format that nobody knows': { type: 'object', properties: { n: { type: 'integer', format: 'of-our-own' } } },
    'with a reference to nowhere': { type: 'object', properties: { n: { $ref: '#/$defs/nowhere' } } },
    'with a type that does not exist': { type: 'object', properties: { n: { type: 'strange' } } },
  }

  test.each(Object.entries(schemas))('%s loses no answer', async (_, outputSchema) => {
    const { registry } = await answering({ look: { outputSchema, result } })
    for (const resultLimitBytes of [1 << 20, 2000]) {
      const { client } = await attached(registry, { options: { session: { policy: { resultLimitBytes } } } })
      await client.listTools()
      const answer = await client.callTool({ name: 'shop_look' })
      expect(envelopeOf(answer)).toMatchObject({ ok: true })
      expect(answer.isError).toBe(undefined)
      expect(answer.structuredContent.n).toBe(1)
    }
  })
})
