// What a handler returns of a server's answer: texts and descriptions for models, the blocks beside them.
import { createRequire } from 'node:module'

const { toHandlerResult } = createRequire(import.meta.url)('../../js/sources/source-result.js')

const plain = { name: 'look', inputSchema: { type: 'object' } }
const typed = { ...plain, outputSchema: { type: 'object' } }
const converted = (result, { definition = plain, writes = false } = {}) =>
  toHandlerResult(result, { source: 'probe', definition, writes })
const thrown = (result, tool) => {
  try {
    return converted(result, tool)
  } catch (error) {
    return error.toJSON()
  }
}
const text = value => ({ type: 'text', text: value })

test('one text is `text`, also if it is JSON; structured content counts where the tool declares it', () => {
  const content = [text('{"a":1}')]
  expect(converted({ content })).toEqual({ data: { text: '{"a":1}' }, blocks: [] })
  const result = { content, structuredContent: { a: 1 } }
  expect(converted(result).data).toEqual({ text: '{"a":1}' })
  expect(converted(result, { definition: typed })).toEqual({ data: { a: 1 }, blocks: [] })
})

test('a declared structure that is missing is an error of a tool that has run', () => {
  const missing = { type: 'PERMANENT', retryable: false, message: expect.stringMatching(/`structuredContent`/) }
  expect(thrown({ content: [] }, { definition: typed })).toEqual(missing)
  expect(thrown({ content: [] }, { definition: typed, writes: true })).toEqual({ ...missing, partialSideEffects: true })
})

test('media are described, and kept as blocks', () => {
  const content = [
    text('two pictures'),
    { type: 'image', mimeType: 'image/png', data: Buffer.alloc(4000).toString('base64') },
    { type: 'audio', mimeType: 'audio/wav', data: Buffer.alloc(4001).toString('base64'), annotations: { priority: 1 } },
    { type: 'resource', resource: { uri: 'file:///a.bin', mimeType: 'a/b', blob: Buffer.alloc(7).toString('base64') } },
    { type: 'resource', resource: { uri: 'file:///a.txt', text: 'hello' } },
    { type: 'resource_link', uri: 'file:///b', name: 'b', title: 'B', size: 3 },
    { type: 'of-a-later-revision', secret: 'x' },
  ]
  const { data, blocks } = converted({ content })
  expect(data).toEqual({
    content: [
      text('two pictures'),
      { type: 'image', mimeType: 'image/png', bytes: 4000 },
      { type: 'audio', mimeType: 'audio/wav', bytes: 4001 },
      { type: 'resource', uri: 'file:///a.bin', mimeType: 'a/b', bytes: 7 },
      { type: 'resource', uri: 'file:///a.txt', text: 'hello' },
      { type: 'resource_link', uri: 'file:///b', name: 'b', title: 'B' },
      { type: 'of-a-later-revision' },
    ],
  })
  expect(blocks).toEqual(content)
})

test('a long text is whole: the gate shortens it for the model', () => {
  const long = 'a line\n'.repeat(50_000)
  expect(converted({ content: [text(long)] }).data).toEqual({ text: long })
})

test('media that structured content repeats are described there, too', () => {
  const data = Buffer.alloc(6000).toString('base64')
  const image = { type: 'image', mimeType: 'image/png', data }
  const structuredContent = { content: [image], note: 'short' }
  const { data: described, blocks } = toHandlerResult(
    { content: [image], structuredContent },
    { source: 's', definition: typed, writes: false },
  )
  expect(described).toEqual({ content: [{ ...image, data: '[image/png, 6000 bytes]' }], note: 'short' })
  expect(blocks).toEqual([image])
})

test('of very many blocks the first hundred are shown', () => {
  const { content } = converted({ content: Array.from({ length: 250 }, () => text('a')) }).data
  expect([content.length, content.at(-1)]).toEqual([101, text('[150 more blocks are not shown]')])
})

test('`isError` is a failure with its text; of a write, something may have happened', () => {
  const failed = { content: [text('no such'), text('file'), { type: 'image' }], isError: true }
  expect(thrown(failed)).toEqual({ type: 'PERMANENT', message: 'no such\nfile', retryable: false })
  expect(thrown(failed, { definition: typed, writes: true })).toMatchObject({ partialSideEffects: true })
  expect(thrown({ content: [text(`${'x'.repeat(1999)}😀`)], isError: true }).message).toBe('x'.repeat(1999))
  expect(thrown({ content: [], isError: true }).message).toBe('the tool failed and did not say why')
})
