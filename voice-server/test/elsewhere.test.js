// What became of a question elsewhere is looked at, not asked for: nothing of it is refused in the audit, and nothing runs. And what
// the client sees of a call while it runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, latch, on, say, startFixture } from './support/fixture.js'

const rules = [on('save', [call('note_save', { text: 'milk' })], [say('It waits for you.')])]
const server = { limits: { pendingPollMs: 20 } }
const refused = ({ audit }) => audit.filter(({ errorType }) => errorType === 'CONFIRMATION_EXPIRED')

/** A call whose question waits, and the same user's page. */
async function asked(t, note_save, provider = 'gemini') {
  let runs = 0
  const counted = async context => ((runs += 1), note_save(context))
  const fixture = await startFixture(t, { rules, provider, handlers: { note_save: counted }, server })
  const client = await fixture.start()
  client.say('save')
  const { request } = await client.next('confirmation')
  await client.next('turnComplete')
  const { sessionId, resumeToken } = client.started
  const page = await fixture.registry.createSession({ sessionId, resumeToken, mode: 'text' })
  return { ...fixture, client, page, token: request.token, runs: () => runs }
}

for (const provider of ['gemini', 'openai', 'gptLive']) {
  test(`${provider}: approved elsewhere, it is told with its result, and no refusal is written`, async t => {
    const gate = latch()
    const fixture = await asked(
      t,
      () => gate.opened.then(() => ({ ok: true, data: { saved: 'by the page' } })),
      provider,
    )
    const { client, page, token, runs, sim, written } = fixture
    const confirmed = page.confirm(token)
    const { outcome, by } = await client.next('confirmationClosed')
    assert.deepEqual([outcome, by], ['confirmed', 'elsewhere'])
    gate.open()
    assert.equal((await confirmed).ok, true)
    assert.deepEqual((await client.next(({ type, data }) => type === 'toolResult' && data !== undefined)).data, {
      saved: 'by the page',
    })
    await sim.whenReceived(() => written().some(text => text.includes('"saved":"by the page"')))
    assert.deepEqual([runs(), refused(fixture)], [1, []])
  })

  test(`${provider}: confirmed here, its card closes while the call runs, once`, async t => {
    const gate = latch()
    const { client, token } = await asked(t, () => gate.opened.then(() => ({ ok: true, data: { saved: 1 } })), provider)
    client.send({ type: 'confirm', token })
    const { type: _, ...closed } = await client.next('confirmationClosed')
    assert.deepEqual(closed, { token, outcome: 'confirmed', by: 'button' })
    gate.open()
    await client.next(({ type, data }) => type === 'toolResult' && data?.saved === 1)
    // A second answer gets the outcome of the first.
    client.send({ type: 'deny', token })
    assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
    assert.equal(client.ofType('confirmationClosed').length, 2)
  })

  test(`${provider}: denied elsewhere, nothing runs, and no refusal is written`, async t => {
    const fixture = await asked(t, () => ({ ok: true }), provider)
    assert.equal(await fixture.page.deny(fixture.token), true)
    assert.equal((await fixture.client.next('confirmationClosed')).outcome, 'denied')
    assert.deepEqual([fixture.runs(), refused(fixture)], [0, []])
  })
}

test('what the handler of an approved call says is shown, not more often than four times a second', async t => {
  const gate = latch()
  const fixture = await asked(t, async ({ progress }) => {
    for (let step = 0; step < 50; step += 1) progress(`step ${step} ${'x'.repeat(400)}`)
    await gate.opened
    progress({ done: 1 })
    return { ok: true, data: {} }
  })
  const { client, token } = fixture
  client.send({ type: 'confirm', token })
  const { id, name, text } = await client.next('toolProgress')
  assert.deepEqual([id, name, text.length], [client.ofType('toolCall')[0].id, 'note_save', 300])
  assert.match(text, /^step 0 x+…$/)
  gate.open()
  await client.next('toolResult')
  assert.ok(client.ofType('toolProgress').length <= 2)
})
