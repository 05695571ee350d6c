// What the model gets of an answer: the whole ToolResponse, or with `meta: 'lean'` only what changes what it does next.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVoiceServer } from '../server.js'
import { call, on, say, startFixture } from './support/fixture.js'

const rules = [
  on('read it', [call('quick_read', { what: 'a' })], [say('Read.')]),
  on('a wrong one', [call('quick_read', { other: 1 })], [say('Refused.')]),
  on('save it', [call('note_save', { text: 'buy milk' })], [say('Saved.')]),
  on('tool-note', [say('I see.')]),
]
const handlers = {
  quick_read: async () => ({ ok: true, data: { found: 'a' } }),
  note_save: async ({ args }) => ({ ok: true, data: { saved: args.text } }),
}
const BOOKKEEPING = ['toolId', 'duration', 'registryVersion']

/** The JSON objects in notes. @param {string[]} notes */
const answersIn = notes =>
  notes
    .flatMap(text => [...(/Its answer: (\{.*?\}) (?:Tell|Do not|The question)/.exec(text) ?? [])].slice(1))
    .map(JSON.parse)

for (const provider of ['gemini', 'openai', 'gptLive']) {
  test(`${provider}: answers, refusals and notes have the full envelope`, async t => {
    const { start, answers, written } = await startFixture(t, { rules, handlers, provider })
    await converse(await start())
    const responses = [...answers().map(({ response }) => response), ...answersIn(written())]
    assert.deepEqual([...new Set(responses.map(({ ok }) => ok))].toSorted(), [false, true])
    assert.ok(responses.length >= 4, JSON.stringify(written()))
    for (const { intents, meta } of responses) {
      assert.ok(Array.isArray(intents))
      for (const member of BOOKKEEPING) assert.ok(member in meta, member)
    }
    assert.ok(!JSON.stringify(responses).includes('"token"'))
  })

  test(`${provider}: with \`lean\` none of them has the bookkeeping`, async t => {
    const { start, answers, written } = await startFixture(t, { rules, handlers, provider, server: { meta: 'lean' } })
    await converse(await start())
    const responses = [...answers().map(({ response }) => response), ...answersIn(written())]
    assert.ok(responses.length >= 4, JSON.stringify(written()))
    for (const { meta } of responses) for (const member of BOOKKEEPING) assert.ok(!(member in (meta ?? {})), member)
  })
}

test('any other value is refused at the start', async () => {
  const options = { noServer: true, allowAnonymous: true, gemini: { apiKey: 'any' } }
  await assert.rejects(createVoiceServer({ ...options, meta: 'all' }), /`meta` must be `full` or `lean`/)
})

/** A read, a refusal, and a write that its user confirms. */
async function converse(client) {
  client.say('read it')
  assert.equal((await client.next('toolResult')).ok, true)
  await client.next('turnComplete')
  client.say('a wrong one')
  assert.equal((await client.next('toolResult')).ok, false)
  await client.next('turnComplete')
  client.say('save it')
  const { request } = await client.next('confirmation')
  await client.next('turnComplete')
  client.send({ type: 'confirm', token: request.token })
  await client.next(({ type, ok }) => type === 'toolResult' && ok)
  await client.next('turnComplete')
}
