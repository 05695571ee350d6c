// What servers of sources say without being asked: who hears of it, and who does not.
import { eventually } from '../support/gate.mjs'
import { modernClient } from '../mcp/support.mjs'
import { connected } from '../mcp/http-support.mjs'
import { ERAS, PAIRS, clientOf, gateOver, offering, shelf, text } from './offering.mjs'

const UPDATED = 'notifications/resources/updated'
const MESSAGE = 'notifications/message'
const of = (frames, method) => frames.filter(frame => frame.method === method).map(({ params }) => params)

/** A server whose tool logs a line at each level given. */
const logging = era =>
  offering(era, {
    'tools/call': async ({ arguments: { levels = [] } }, { mcpReq }) => {
      for (const level of levels) await say(era, mcpReq, level)
      return { content: [text('logged')] }
    },
  })
const say = (era, mcpReq, level, data = `it is ${level}`) =>
  era === 'modern'
    ? mcpReq.log(level, data, 'worker')
    : mcpReq.notify({ method: MESSAGE, params: { level, logger: 'worker', data } })
const look = (client, ...levels) => client.callTool({ name: 'a_look', arguments: { levels } })

describe.each(ERAS)('a server of the generation %s', era => {
  test.each([false, true])('a change of a resource reaches the session that subscribed (shared: %s)', async shared => {
    const server = await offering(era, shelf({ 'doc://1': 'one' }))
    const { url } = await gateOver({ a: { server, shared } })
    const [one, other] = [await clientOf('legacy', url), await clientOf('legacy', url)]
    await other.client.readResource({ uri: 'a+doc://1' })
    await one.client.subscribeResource({ uri: 'a+doc://1' })
    await server.notify.resourceUpdated('doc://1')
    await eventually(() => of(one.frames, UPDATED).length === 1, 'the news')
    expect(of(one.frames, UPDATED)).toMatchObject([{ uri: 'a+doc://1' }])
    // Both have it: the server is asked no second time on one connection.
    await other.client.subscribeResource({ uri: 'a+doc://1' })
    await one.client.unsubscribeResource({ uri: 'a+doc://1' })
    await server.notify.resourceUpdated('doc://1')
    await eventually(() => of(other.frames, UPDATED).length === 1, 'the news of the other')
    expect(of(one.frames, UPDATED).length).toBe(1)
    if (era === 'legacy') expect(server.of('resources/subscribe').length).toBe(shared ? 1 : 2)
  })

  test('a subscription holds over a new start of the server', async () => {
    const server = await offering(era, shelf({ 'doc://1': 'one' }))
    const { url } = await gateOver({ a: { server } })
    const { client, frames } = await clientOf('legacy', url)
    await client.subscribeResource({ uri: 'a+doc://1' })
    await server.forget()
    await eventually(async () => {
      // The connection opens again with a request, of which the first may find it broken.
      await client.readResource({ uri: 'a+doc://1' }).catch(() => {})
      await server.notify.resourceUpdated('doc://1')
      return of(frames, UPDATED).length > 0
    }, 'the news')
    expect(of(frames, UPDATED)[0]).toMatchObject({ uri: 'a+doc://1' })
  })

  test('no secret of the source is in what its server logs, reports and fails with', async () => {
    const server = await offering(era, {
      'tools/call': async (_, { mcpReq, http }) => {
        const key = http.req.headers.get('x-key')
        const progressToken = mcpReq._meta?.progressToken
        await say(era, mcpReq, 'error', { sent: [`with ${key}`] })
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, message: `sends ${key}` },
        })
        return { isError: true, content: [text(`failed with ${key}`)] }
      },
    })
    process.env.NEWS_KEY = 'key-of-the-team'
    const { url } = await gateOver({ a: { server, transport: { headers: { 'x-key': '${NEWS_KEY}' } } } })
    const { client, frames } = await clientOf('legacy', url)
    const reports = []
    await client.setLoggingLevel('error')
    const result = await client.callTool({ name: 'a_look' }, { onprogress: report => reports.push(report) })
    expect(JSON.stringify(result)).toMatch(/failed with \*\*\*/)
    await eventually(() => of(frames, MESSAGE).length > 0, 'the log')
    expect(of(frames, MESSAGE)[0].data).toEqual({ sent: ['with ***'] })
    expect(reports.map(({ message }) => message)).toEqual(['sends ***'])
  })

  test('lists that change are announced to clients of both generations', async () => {
    const server = await offering(era, shelf({}, { ask: '' }))
    const { url } = await gateOver({ a: { server } })
    const heard = []
    const listChanged = name => ({
      autoRefresh: false,
      debounceMs: 0,
      onChanged: () => heard.push(name),
    })
    const changes = { prompts: listChanged('prompts'), resources: listChanged('resources') }
    const one = await connected(url, { client: { listChanged: changes } })
    await one.client.listPrompts()
    const two = await connected(url, modernClient)
    const subscription = await two.client.listen({ promptsListChanged: true, resourcesListChanged: true })
    await two.client.listPrompts()
    for (const list of ['prompts', 'resources']) {
      await server.notify[`${list}Changed`]()
      const method = `notifications/${list}/list_changed`
      await eventually(() => heard.includes(list), `${list} to the older client`)
      await eventually(() => of(two.frames, method).length > 0, `${list} to the newer client`)
    }
    await subscription.close()
  })
})

describe.each(PAIRS)('the log, for a client of the generation %s and a server of %s', (generation, era) => {
  test('has what the client wants', async () => {
    const { url } = await gateOver({ a: { server: await logging(era) } })
    if (generation === 'legacy') {
      const { client, frames } = await clientOf(generation, url)
      await client.setLoggingLevel('warning')
      await look(client, 'info', 'error', 'debug')
      expect(of(frames, MESSAGE)).toEqual([{ level: 'error', logger: 'a/worker', data: 'it is error' }])
      await client.setLoggingLevel('debug')
      await look(client, 'debug', 'info')
      expect(of(frames, MESSAGE).map(({ level }) => level)).toEqual(['error', 'debug', 'info'])
      return
    }
    const { client, frames } = await clientOf(generation, url)
    await look(client, 'error')
    expect(of(frames, MESSAGE)).toEqual([])
    const _meta = { 'io.modelcontextprotocol/logLevel': 'warning' }
    await client.callTool({ name: 'a_look', arguments: { levels: ['info', 'error'] }, _meta })
    expect(of(frames, MESSAGE)).toMatchObject([{ level: 'error', logger: 'a/worker', data: 'it is error' }])
    await look(client, 'error')
    expect(of(frames, MESSAGE).length).toBe(1)
  })

  test('never has what belongs to another session of a shared connection', async () => {
    const { url } = await gateOver({ a: { server: await logging(era), shared: true } })
    const [one, other] = [await clientOf(generation, url), await clientOf(generation, url)]
    if (generation === 'legacy') for (const { client } of [one, other]) await client.setLoggingLevel('debug')
    const _meta = generation === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {}
    const call = ({ client }, levels) => client.callTool({ name: 'a_look', arguments: { levels }, _meta })
    await call(other, [])
    await call(one, ['error', 'info'])
    expect(of(one.frames, MESSAGE).length).toBe(2)
    expect(of(other.frames, MESSAGE)).toEqual([])
  })
})
