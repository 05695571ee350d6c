// The question of a source's server in a call of an MCP client, answered by a link.
import { createConfirmationRoute } from '../../js/web/index.js'
import { attached, envelopeOf } from '../mcp/support.mjs'
import { eventually } from '../support/gate.mjs'
import { ERAS, gate, shown } from './asking.mjs'

test.each(ERAS)('a server of the generation %s gets the answer, and the client is not asked', async era => {
  const events = []
  const { registry, effects } = await gate(era, { options: { onConfirmation: event => events.push(event) } })
  const elicited = []
  const user = await attached(registry, {
    options: { consent: 'elsewhere', consentWaitMs: 600_000 },
    elicit: asked => (elicited.push(asked), { action: 'accept', content: { name: 'Eve' } }),
  })
  const answer = user.client.callTool({ name: 'shop_ask', arguments: { of: ['who'] } })
  await eventually(() => events.length === 1, 'the question')
  const [{ id, sessionId }] = events
  const link = await registry.confirmationLink(id, { sessionId, baseUrl: 'http://localhost/confirm' })
  const route = createConfirmationRoute(registry, { changes: true })
  const body = new URLSearchParams({ decision: 'confirm', 'field.name': 'Ada' })
  expect(await (await route(new Request(link, { method: 'POST', body }))).json()).toEqual({
    state: 'confirmed',
    ok: true,
  })
  const { data } = envelopeOf(await answer)
  expect(JSON.parse(data.text)).toEqual([shown(era, 'who', { action: 'accept', content: { name: 'Ada' } })])
  expect([effects(), elicited]).toEqual([1, []])
})
