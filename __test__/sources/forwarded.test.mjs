// What sources offer beside tools, as MCP clients list, read and get it.
import { clientOf, failure, gateOver, offering, CROSSED, shelf, text } from './offering.mjs'

const TWO = [{ 'file:///a': 'of one', 'file:///b': 'b' }, { ask: 'one asks' }]
const OTHER = [{ 'file:///a': 'of two' }, { ask: 'two asks' }]

/** Two servers with equal names, and a client. */
async function two([client, era], fields = {}, given = {}) {
  const [one, other] = [await offering(era, shelf(...TWO)), await offering(era, shelf(...OTHER))]
  const gate = await gateOver({ first: { server: one, ...fields }, my_two: { server: other } }, given)
  return { ...gate, one, other, ...(await clientOf(client, gate.url, given)) }
}
const urisOf = ({ resources }) => resources.map(({ uri }) => uri)
const namesOf = ({ prompts }) => prompts.map(({ name }) => name)

describe.each(CROSSED)('a client of the generation %s, servers of %s', (...pair) => {
  test('equal names and URIs of two sources stay apart', async () => {
    const { client, one, other } = await two(pair)
    expect(urisOf(await client.listResources())).toEqual(['first+file:///a', 'first+file:///b', 'my-two+file:///a'])
    expect(namesOf(await client.listPrompts())).toEqual(['first_ask', 'my_two_ask'])
    const read = await client.readResource({ uri: 'my-two+file:///a' })
    expect(read.contents).toEqual([{ uri: 'my-two+file:///a', text: 'of two' }])
    const got = await client.getPrompt({ name: 'first_ask' })
    expect(got.messages).toEqual([{ role: 'user', content: text('one asks') }])
    expect([one.of('resources/read'), other.of('resources/read')]).toMatchObject([[], [{ uri: 'file:///a' }]])
    expect([one.of('prompts/get'), other.of('prompts/get')]).toMatchObject([[{ name: 'ask' }], []])
  })

  test('an empty prefix leaves them as they are', async () => {
    const { client } = await two(pair, { prefix: '' })
    expect(urisOf(await client.listResources())).toEqual(['file:///a', 'file:///b', 'my-two+file:///a'])
    expect(namesOf(await client.listPrompts())).toEqual(['ask', 'my_two_ask'])
    expect((await client.readResource({ uri: 'file:///a' })).contents).toEqual([{ uri: 'file:///a', text: 'of one' }])
  })

  test('what no source has is the error -32602, and no other server is asked for it', async () => {
    const { client, one, other } = await two(pair)
    const requests = [
      client.readResource({ uri: 'file:///a' }),
      client.getPrompt({ name: 'ask' }),
      client.complete({ ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'x', value: '' } }),
    ]
    for (const error of await Promise.all(requests.map(failure))) expect(error).toMatchObject({ code: -32602 })
    expect(one.of('resources/read', 'prompts/get', 'completion/complete')).toEqual([])
    const error = await failure(client.readResource({ uri: 'first+file:///none' }))
    expect(error).toMatchObject({ code: -32602, data: { uri: 'first+file:///none' } })
    expect(other.of('resources/read')).toEqual([])
  })

  test('a source that is down does not take the others away', async () => {
    const { client, one, other, logs } = await two(pair)
    await client.listResources()
    await one.stop()
    expect(urisOf(await client.listResources())).toEqual(['my-two+file:///a'])
    expect(namesOf(await client.listPrompts())).toEqual(['my_two_ask'])
    expect(logs.join('\n')).toMatch(/`first`: its resources can't be listed/)
    await other.stop()
    expect((await failure(client.listResources())).message).toMatch(/no connection|can't be reached/)
  })

  test('templates and completion know the prefix', async () => {
    const server = await offering(pair[1], {
      ...shelf({ 'doc://7': 'seven' }, { ask: 'asks' }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'doc://{id}', name: 'doc' }] }),
      'completion/complete': ({ ref, argument }) => ({
        completion: { values: [`${ref.uri ?? ref.name} ${argument.value}`] },
      }),
    })
    const plain = await offering(pair[1], {}, { capabilities: { tools: {}, prompts: {} } })
    const { url } = await gateOver({ a: { server }, b: { server: plain } })
    const { client } = await clientOf(pair[0], url)
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toEqual([{ uriTemplate: 'a+doc://{id}', name: 'doc' }])
    const argument = { name: 'id', value: '7' }
    const values = async ref => (await client.complete({ ref, argument })).completion.values
    expect(await values({ type: 'ref/resource', uri: 'a+doc://{id}' })).toEqual(['doc://{id} 7'])
    expect(await values({ type: 'ref/prompt', name: 'a_ask' })).toEqual(['ask 7'])
    expect((await client.readResource({ uri: 'a+doc://7' })).contents[0].text).toBe('seven')
    // That server completes nothing.
    expect(await failure(values({ type: 'ref/prompt', name: 'b_ask' }))).toMatchObject({ code: -32602 })
  })

  test('what a result of a tool links to can be read, and so can the page of the tool', async () => {
    const embedded = { type: 'resource', resource: { uri: 'doc://1', text: 'one' } }
    const content = [
      text('two files'),
      { type: 'resource_link', uri: 'doc://2', name: 'two' },
      embedded,
      { type: 'resource_link', uri: 'https://a.example/', name: 'web' },
    ]
    const page = { name: 'show', inputSchema: { type: 'object' }, _meta: { ui: { resourceUri: 'ui://page', more: 1 } } }
    const known = shelf({ 'doc://1': 'one', 'doc://2': 'two', 'ui://page': '<p>' })
    const server = await offering(pair[1], { ...known, 'tools/call': () => ({ content }) }, { tools: [page] })
    const { url } = await gateOver({ a: { server } })
    const { client } = await clientOf(pair[0], url)
    const { content: blocks } = await client.callTool({ name: 'a_show', arguments: {} })
    const uris = blocks.flatMap(({ uri, resource }) => uri ?? resource?.uri ?? [])
    expect(uris).toEqual(['a+doc://2', 'a+doc://1', 'https://a.example/'])
    const [tool] = (await client.listTools()).tools
    expect(tool._meta).toEqual({ ui: { resourceUri: 'a+ui://page', more: 1 } })
    const texts = []
    for (const uri of [...uris.slice(0, 2), tool._meta.ui.resourceUri])
      texts.push((await client.readResource({ uri })).contents[0].text)
    expect(texts).toEqual(['two', 'one', '<p>'])
  })

  test("a client without the role of a source's tools sees and reads nothing of it", async () => {
    const policy = { tools: { look: { requiredRoles: ['staff'] } } }
    const { url, one } = await two(pair, policy)
    const { client } = await clientOf(pair[0], url)
    const before = one.received.length
    expect(urisOf(await client.listResources())).toEqual(['my-two+file:///a'])
    expect(namesOf(await client.listPrompts())).toEqual(['my_two_ask'])
    const requests = [
      client.readResource({ uri: 'first+file:///a' }),
      client.getPrompt({ name: 'first_ask' }),
      client.complete({ ref: { type: 'ref/prompt', name: 'first_ask' }, argument: { name: 'x', value: '' } }),
      ...(pair[0] === 'legacy' ? [client.subscribeResource({ uri: 'first+file:///a' })] : []),
    ]
    for (const error of await Promise.all(requests.map(failure))) expect(error).toMatchObject({ code: -32602 })
    expect(one.received.slice(before).filter(({ method }) => method !== 'tools/list')).toEqual([])
    const staff = await two(pair, policy, { mcp: { session: { roles: ['staff'] } } })
    expect(urisOf(await staff.client.listResources())).toContain('first+file:///a')
  })
})

test.each([
  ['a flood', () => ({ prompts: [{ name: 'p' }], nextCursor: `${Math.random()}` }), /more than 64 pages/],
  ['a cursor again', () => ({ prompts: [{ name: 'p' }], nextCursor: 'x' }), /repeats a cursor/],
  [
    'a giant',
    () => ({ prompts: [{ name: 'p', description: 'x'.repeat(3e6) }], nextCursor: `${Math.random()}` }),
    /more than \d+ bytes/,
  ],
])('%s of a list is bounded', async (_, list, reason) => {
  const [bad, good] = [await offering('legacy', { 'prompts/list': list }), await offering('legacy', shelf(...TWO))]
  const { url, logs } = await gateOver({ bad: { server: bad }, good: { server: good } })
  const { client } = await clientOf('legacy', url)
  expect(namesOf(await client.listPrompts())).toEqual(['good_ask'])
  expect(logs.join('\n')).toMatch(reason)
  expect(bad.of('prompts/list').length).toBeLessThanOrEqual(64)
})
