// Where a server's question is answered: in the form of an MCP client, and behind a link.
import path from 'node:path'

import { connected, serving } from '../mcp/http-support.mjs'
import { attached, modernClient, round } from '../mcp/support.mjs'
import { BASE, sending } from '../support/confirmation-links.mjs'
import { eventually } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'
import { ERAS, gate, projectOf } from './asking.mjs'

const ORDER = { count: 3, size: 'm', gift: false }

describe.each(ERAS)('an MCP client in front of a server of the generation %s', era => {
  test('shows the form of the server, and sends back what its user has written', async () => {
    const { registry } = await gate(era)
    const forms = []
    const elicit = form => (forms.push(form), { action: 'accept', content: ORDER })
    const { client } = await attached(registry, { elicit })
    const result = await client.callTool({ name: 'shop_ask', arguments: { of: ['order'] } })
    expect(JSON.stringify(result.content)).toMatch(/count\W+3,.*gift\W+false/)
    expect(forms).toEqual([
      {
        mode: 'form',
        message: 'shop asks: How many?',
        requestedSchema: {
          type: 'object',
          properties: {
            count: { type: 'integer', title: 'Pieces', minimum: 1, maximum: 9 },
            size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
            gift: { type: 'boolean', default: true },
            note: { type: 'string' },
          },
          required: ['count', 'size'],
        },
      },
    ])
  })

  test('asks again what does not fit, and passes on that its user declines', async () => {
    const { registry } = await gate(era)
    const answers = [{ action: 'accept', content: { count: 10, size: 'm' } }, { action: 'decline' }]
    const messages = []
    const { client } = await attached(registry, { elicit: ({ message }) => (messages.push(message), answers.shift()) })
    const result = await client.callTool({ name: 'shop_ask', arguments: { of: ['order'] } })
    expect(messages.length).toBe(2)
    expect(messages[1]).toMatch(/^shop asks: \(Your answer can't be used: .*count/)
    expect(JSON.stringify(result.content)).toContain('decline')
  })
})

test('each request of a server is a form of its own', async () => {
  const { registry } = await gate('modern')
  const forms = []
  const elicit = form => (forms.push(form), { action: 'accept', content: forms.length === 1 ? { name: 'Ada' } : ORDER })
  const { client } = await attached(registry, { elicit })
  const result = await client.callTool({ name: 'shop_ask', arguments: { of: ['who+order'] } })
  expect(forms.map(({ message }) => message)).toEqual(['shop asks: Who are you?', 'shop asks: How many?'])
  expect(JSON.stringify(result.content)).toMatch(/who.*Ada.*order.*count/)
})

test('a client of 2026-07-28 gets the question as a result', async () => {
  const { registry } = await gate('modern')
  const { url } = await serving(registry)
  const forms = []
  const elicit = form => (forms.push(form), { action: 'accept', content: forms.length === 1 ? { name: 'Ada' } : ORDER })
  const { client } = await connected(url, { elicit, ...modernClient })
  const result = await client.callTool({ name: 'shop_ask', arguments: { of: ['who', 'order'] } })
  expect(JSON.stringify(result.content)).toMatch(/Ada.*count/)
  expect(forms.map(({ message }) => message)).toEqual(['shop asks: Who are you?', 'shop asks: How many?'])
})

test('rounds that were asked by one process are answered at another', async () => {
  const options = { store: { file: path.join(temporaryFolder(), 'store.db') } }
  const project = await projectOf('modern')
  const [a, b] = [await gate('modern', { options, project }), await gate('modern', { options, project })]
  const [here, there] = [await serving(a.registry), await serving(b.registry)]
  const call = { name: 'shop_ask', arguments: { of: ['who', 'order'] } }
  const answered = ({ result }, content) => ({
    ...call,
    requestState: result.requestState,
    inputResponses: Object.fromEntries(
      Object.keys(result.inputRequests).map(name => [name, { action: 'accept', content }]),
    ),
  })
  const first = await round(here.url, call)
  const second = await round(there.url, answered(first, { name: 'Ada' }))
  expect(second.result).toMatchObject({ resultType: 'input_required' })
  const last = await round(there.url, answered(second, ORDER))
  expect(JSON.stringify(last.result.content)).toMatch(/Ada.*count/)
  expect(a.effects() + b.effects()).toBe(1)
})

/** A question behind a link; `answered`: what the server gets. */
async function linked(era = 'modern', of = ['order']) {
  const events = []
  const { ask, registry } = await gate(era, { options: { onConfirmation: event => events.push(event) } })
  const answered = ask(of)
  const link = async () => {
    await eventually(() => events.some(({ type }) => type === 'requested'), 'the question')
    const { id, sessionId } = events.findLast(({ type }) => type === 'requested')
    return registry.confirmationLink(id, { sessionId, baseUrl: BASE })
  }
  return { answered, events, link: await link(), next: link, ...sending(registry) }
}

test.each(ERAS)('a link shows the fields, and answers as JSON (%s)', async era => {
  const { answered, decide, link, send } = await linked(era)
  const { body } = await send(link)
  expect(body.confirmation).toMatchObject({ tool: 'server_question', preview: 'shop asks: How many?', arguments: [] })
  expect(body.confirmation.fields).toEqual([
    { name: 'count', title: 'Pieces', type: 'integer', required: true },
    {
      name: 'size',
      title: 'size',
      type: 'choice',
      required: true,
      choices: [
        { value: 's', title: 'Small' },
        { value: 'm', title: 'Medium' },
      ],
    },
    { name: 'gift', title: 'gift', type: 'boolean', required: false, default: true },
    { name: 'note', title: 'note', type: 'string', required: false },
  ])
  expect((await decide(link, 'confirm', { content: ORDER })).body).toEqual({ state: 'confirmed', ok: true })
  expect(JSON.stringify(await answered)).toContain(JSON.stringify(ORDER))
})

test('a page behind a link has a form, and a browser answers it', async () => {
  const { answered, form, link, send } = await linked()
  const page = await send(link, { headers: { accept: 'text/html' } })
  for (const part of ['name="field.count" required', '<option value="m">Medium</option>', 'name="field.gift"'])
    expect(page.text).toContain(part)
  const fields = { decision: 'confirm', 'field.count': '3', 'field.size': 'm', 'field.note': '', extra: 'x' }
  expect((await send(link, form(fields))).body).toEqual({ state: 'confirmed', ok: true })
  expect(await answered).toEqual([{ order: { action: 'accept', content: ORDER } }])
})

test('an answer behind a link that does not fit says so, and the question has a new link', async () => {
  const { answered, decide, link, next, send, events } = await linked()
  const refused = await decide(link, 'confirm', { content: { ...ORDER, count: 10 } })
  expect(refused).toMatchObject({ status: 400, body: { state: 'confirmed', ok: false, error: { type: 'VALIDATION' } } })
  expect(refused.body.error.message).toMatch(/asked again.*count/)
  expect((await decide(link, 'confirm', { content: ORDER })).status).toBe(410)
  await eventually(() => events.filter(({ type }) => type === 'requested').length === 2, 'the second question')
  const again = await next()
  expect((await send(again)).body.confirmation.preview).toContain("can't be used")
  expect((await decide(again, 'deny')).body).toEqual({ state: 'denied' })
  expect(await answered).toEqual([{ order: { action: 'decline' } }])
})
