// What a server asks of the client itself: a completion of its model, and its folders.
import { inputRequired } from '@modelcontextprotocol/server'

import { createConfirmationRoute } from '../../js/web/index.js'
import { round } from '../mcp/support.mjs'
import { eventually, gateway } from '../support/gate.mjs'
import { ERAS, PAIRS, clientOf, failure, gateOver, offering, text } from './offering.mjs'

const PARAMS = { messages: [{ role: 'user', content: text('Say it.') }], maxTokens: 5 }
const COMPLETION = { role: 'assistant', model: 'm', content: text('it') }
const ROOTS = { roots: [{ uri: 'file:///home' }] }
const METHODS = {
  sampling: { method: 'sampling/createMessage', params: PARAMS, answer: COMPLETION },
  roots: { method: 'roots/list', params: {}, answer: ROOTS },
}

/** A server whose tool asks the client, and says what it got. */
function asking(era, kind) {
  const { method, params } = METHODS[kind]
  const input = kind === 'roots' ? inputRequired.listRoots() : inputRequired.createMessage(params)
  const answered = value => ({ content: [text(JSON.stringify(value))] })
  const call = async (_, { mcpReq }) => {
    if (era === 'legacy')
      return answered(await mcpReq.send({ method, params }).catch(error => ({ refused: error.message })))
    const got = mcpReq.inputResponses?.it
    return got === undefined ? inputRequired({ inputRequests: { it: input } }) : answered(got)
  }
  return offering(era, { 'tools/call': call })
}
const look = async ({ client }) => client.callTool({ name: 'a_look', arguments: {} })
const dataOf = ({ content }) => JSON.parse(JSON.parse(content[0].text).data.text)

describe.each(Object.keys(METHODS))('%s', kind => {
  const { method, answer } = METHODS[kind]

  test.each(PAIRS)('reaches the client that offers it (client %s, server %s)', async (generation, era) => {
    const asked = []
    const answers = { [method]: params => asked.push(params) && answer }
    const { url } = await gateOver({ a: { server: await asking(era, kind), [kind]: true } })
    const result = await look(await clientOf(generation, url, { answers }))
    expect(dataOf(result)).toMatchObject(answer)
    expect(asked.length).toBe(1)
    if (kind === 'sampling') expect(asked[0]).toMatchObject(PARAMS)
  })

  test.each(PAIRS)('is refused for a client that does not offer it (client %s, server %s)', async (generation, era) => {
    const { url } = await gateOver({ a: { server: await asking(era, kind), [kind]: true } })
    const called = look(await clientOf(generation, url))
    if (era === 'legacy') expect(dataOf(await called)).toEqual({ refused: expect.any(String) })
    else if (generation === 'legacy') expect((await called).isError).toBe(true)
    else expect(await failure(called)).toMatchObject({ code: -32021, data: { requiredCapabilities: { [kind]: {} } } })
  })

  test.each(PAIRS)(
    'never reaches a client if the source may not ask (client %s, server %s)',
    async (generation, era) => {
      const asked = []
      const answers = { [method]: () => asked.push(1) && answer }
      const { url } = await gateOver({ a: { server: await asking(era, kind) } })
      const called = look(await clientOf(generation, url, { answers }))
      if (era === 'legacy') expect(dataOf(await called)).toEqual({ refused: expect.any(String) })
      else
        expect(
          await called.then(
            ({ isError }) => isError,
            () => true,
          ),
        ).toBe(true)
      expect(asked).toEqual([])
    },
  )

  test.each(ERAS)('a client that fails answers nothing, and its error is not sent on (server %s)', async era => {
    const answers = {
      [method]: () => {
        throw new Error('/home/ada/private')
      },
    }
    const { url } = await gateOver({ a: { server: await asking(era, kind), [kind]: true } })
    const result = await look(await clientOf('legacy', url, { answers }))
    expect(JSON.stringify(result)).not.toContain('/home/ada')
    if (era === 'legacy') expect(dataOf(result)).toEqual({ refused: expect.any(String) })
    else expect(result.isError).toBe(true)
  })

  test('a client of 2026-07-28 that does not offer it gets HTTP 400', async () => {
    const { url } = await gateOver({ a: { server: await asking('modern', kind), [kind]: true } })
    const statuses = []
    const fetched = globalThis.fetch
    globalThis.fetch = async (...given) => {
      const response = await fetched(...given)
      if (String(given[0]) === url) statuses.push(response.status)
      return response
    }
    try {
      const { error } = await round(url, { name: 'a_look', arguments: {} }, { capabilities: {} })
      expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { [kind]: {} } } })
    } finally {
      globalThis.fetch = fetched
    }
    expect(statuses).toEqual([400])
  })

  test.each(ERAS)('a page that confirms gives no answer, and the client is asked again (server %s)', async era => {
    const [events, asked, first] = [[], [], gateway()]
    const onConfirmation = event => event.type === 'requested' && events.push(event)
    const source = { server: await asking(era, kind), [kind]: true }
    const { registry, url } = await gateOver({ a: source }, { options: { onConfirmation } })
    const answers = { [method]: async () => (asked.push(1) === 1 && (await first.passed), answer) }
    const result = look(await clientOf('legacy', url, { answers }))
    await eventually(() => asked.length === 1, 'the request to the client')
    const [{ id, sessionId }] = events
    const link = await registry.confirmationLink(id, { sessionId, baseUrl: 'http://localhost/confirm' })
    const route = createConfirmationRoute(registry, { changes: true })
    const body = new URLSearchParams({ decision: 'confirm', content: JSON.stringify({ it: answer, pushed: answer }) })
    const response = await (await route(new Request(link, { method: 'POST', body }))).json()
    await eventually(() => asked.length === 2, 'the request to the client again')
    first.open()
    expect(response).toMatchObject({ state: 'confirmed' })
    expect(dataOf(await result)).toMatchObject(answer)
  })

  test.each(ERAS)('no host answers it in place of the client (server %s)', async era => {
    const asked = []
    const { registry } = await gateOver({ a: { server: await asking(era, kind), [kind]: true } })
    const session = await registry.createSession({
      mode: 'text',
      onNestedConfirmation: question => {
        asked.push(question)
        return session.confirm(question.token, { args: { ...question.args, content: { it: answer, pushed: answer } } })
      },
    })
    const response = await session.execute({ id: 'a-call-of-the-host', name: 'a_look', args: {} })
    expect(asked).toEqual([])
    if (era === 'legacy') expect(JSON.parse(response.data.text)).toEqual({ refused: expect.any(String) })
    else expect(response).toMatchObject({ ok: false })
  })
})
