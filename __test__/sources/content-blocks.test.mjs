// The content blocks of a source's answer, for MCP clients: beside the text that every tool's answer has.
import { createRequire } from 'node:module'

import { ROUNDS, asked, attached, envelopeOf, round } from '../mcp/support.mjs'
import { serving } from '../mcp/http-support.mjs'
import { answering, text } from './served.mjs'

const { KeptBlocks } = createRequire(import.meta.url)('../../js/sources/kept-blocks.js')

const PNG = { type: 'image', mimeType: 'image/png', data: Buffer.alloc(40).toString('base64') }
const MEDIA = [
  text('two of them', { annotations: { audience: ['user'], priority: 1 } }),
  { ...PNG, annotations: { priority: 0.5 }, _meta: { 'example/kept': true } },
  { type: 'audio', mimeType: 'audio/wav', data: Buffer.alloc(3).toString('base64') },
  { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'hello' } },
  { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'AAAA' } },
  { type: 'resource_link', uri: 'file:///b', name: 'b' },
]
const SUM = { type: 'object', properties: { sum: { type: 'number' } } }

const call = (client, name) => client.callTool({ name, arguments: {} })
const beside = async (client, name) => (await call(client, name)).content.slice(1)

test('a client gets the blocks as the server sent them, after the text for its model', async () => {
  const { registry } = await answering({ look: { result: { content: MEDIA } } })
  const { client } = await attached(registry)
  const result = await call(client, 'shop_look')
  expect(result.content.slice(1)).toEqual(MEDIA)
  expect(envelopeOf(result).data.content[1]).toEqual({ type: 'image', mimeType: 'image/png', bytes: 40 })
})

test('what the data has is not sent twice', async () => {
  const structured = { outputSchema: SUM, annotations: { title: 'Sum' } }
  const { registry } = await answering({
    one: { result: { content: [text('a')] } },
    none: { result: { content: [] } },
    annotated: { result: { content: [text('a', { annotations: { priority: 1 } })] } },
    several: { result: { content: [text('a'), text('b')] } },
    same: { ...structured, result: { content: [text('{ "sum": 3 }')], structuredContent: { sum: 3 } } },
    shown: { ...structured, result: { content: [text('{"sum":3}'), PNG], structuredContent: { sum: 3 } } },
    told: { ...structured, result: { content: [text('three')], structuredContent: { sum: 3 } } },
  })
  const { client } = await attached(registry)
  await client.listTools()
  expect(await beside(client, 'shop_one')).toEqual([])
  expect(await beside(client, 'shop_none')).toEqual([])
  expect(await beside(client, 'shop_annotated')).toEqual([text('a', { annotations: { priority: 1 } })])
  expect(await beside(client, 'shop_several')).toEqual([text('a'), text('b')])
  expect(await beside(client, 'shop_same')).toEqual([])
  expect(await beside(client, 'shop_told')).toEqual([text('three')])
  const shown = await call(client, 'shop_shown')
  expect(shown.content.slice(1)).toEqual([text('{"sum":3}'), PNG])
  expect(shown.structuredContent).toEqual({ sum: 3 })
})

test('a request that is sent twice gets the same blocks from one run', async () => {
  const { registry, effects } = await answering({ look: { result: { content: MEDIA } } })
  const user = await attached(registry)
  const request = { id: 71, method: 'tools/call', params: { name: 'shop_look', arguments: {} } }
  const first = await asked(user, request)
  const second = await asked(user, request, 2)
  expect(first.result.content.slice(1)).toEqual(MEDIA)
  expect(second.result.content.slice(1)).toEqual(MEDIA)
  expect(effects()).toBe(1)
})

test('a client of 2026-07-28 gets them too, over HTTP', async () => {
  const { registry } = await answering({ look: { result: { content: MEDIA } } })
  const { url } = await serving(registry)
  const { result } = await round(url, { name: 'shop_look', arguments: {} })
  expect(result.content.slice(1)).toEqual(MEDIA)
})

test.each([
  ['2024-11-05', ['text', 'image', 'resource', 'resource']],
  ['2025-03-26', ['text', 'image', 'audio', 'resource', 'resource']],
  ['2025-11-25', ['text', 'image', 'audio', 'resource', 'resource', 'resource_link']],
])('a client of %s gets no block that it would refuse', async (revision, types) => {
  const content = [...MEDIA, { type: 'of-a-later-revision' }, { type: 'resource_link', uri: 'file:///without-a-name' }]
  const { registry } = await answering({ look: { result: { content } } })
  const { client } = await attached(registry, { client: { supportedProtocolVersions: [revision] } })
  expect(client.getNegotiatedProtocolVersion()).toBe(revision)
  expect((await beside(client, 'shop_look')).map(({ type }) => type)).toEqual(types)
  expect(revision < ROUNDS).toBe(true)
})

test('texts beside the data are as short as a model gets them', async () => {
  const long = 'x'.repeat(100 * 1024)
  const { registry } = await answering({
    cut: { result: { content: [text(long), PNG] } },
    // Fits what a source may say, and not what the mode lets a model read.
    shortened: { result: { content: [text('y'.repeat(40 * 1024)), PNG] } },
  })
  const wide = await attached(registry, { options: { session: { policy: { resultLimitBytes: 1 << 20 } } } })
  const [said, picture] = await beside(wide.client, 'shop_cut')
  expect(said.text).toBe(long)
  expect(picture).toEqual(PNG)
  const { client } = await attached(registry, { options: { session: { policy: { resultLimitBytes: 4096 } } } })
  const left = await beside(client, 'shop_shortened')
  expect(left.map(({ type }) => type)).toEqual(['image'])
})

test('the blocks of all sessions are bounded, and those of a session go with it', () => {
  const kept = new KeptBlocks(3500)
  const block = bytes => [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(bytes) }]
  for (const key of ['one', 'two', 'three']) kept.put('s', key, block(1000))
  expect(['one', 'two', 'three'].map(key => kept.get('s', key).length)).toEqual([0, 1, 1])
  expect(kept.get('t', 'two')).toEqual([])
  kept.put('t', 'two', block(10))
  kept.put('t', 'two', [])
  expect(kept.get('t', 'two')).toEqual([])
  kept.put('t', 'large', block(5000))
  expect([kept.get('t', 'large'), kept.get('s', 'three')]).toEqual([[], []])
  kept.put('s', 'four', block(10))
  kept.put('t', 'four', block(10))
  kept.forget('s')
  expect([kept.get('s', 'four').length, kept.get('t', 'four').length]).toEqual([0, 1])
})

test('without room for full results a client gets the text alone', async () => {
  const { registry } = await answering({ look: { result: { content: MEDIA } } }, { limits: { fullResultBytes: 0 } })
  const { client } = await attached(registry)
  const { content, isError } = await call(client, 'shop_look')
  expect([content.length, isError]).toEqual([1, undefined])
})
