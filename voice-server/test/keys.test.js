// A telephone key answers the question that was asked last, and no other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, on, say, startFixture } from './support/fixture.js'

const readBackOf = text => `Note save: text: ${text}. Shall I do that?`
const isSaid = wanted => frame =>
  frame.type === 'transcript' && frame.direction === 'output' && frame.text.includes(wanted)
const saves = (said, text, answer = readBackOf(text)) => on(said, [call('note_save', { text })], [say(answer)])

/** A model that says a text's read-back if it gets one. */
async function stage(t, provider, rules, handlers = {}) {
  const notes = []
  const fixture = await startFixture(t, {
    provider,
    settings: { listenMs: 10_000 },
    handlers: { note_save: async ({ args }) => (notes.push(args.text), { ok: true, data: {} }), ...handlers },
    rules: [
      ...rules,
      on({ contains: 'The user confirmed' }, [say('It is saved.')]),
      ...['milk', 'bread'].map(text => on({ contains: readBackOf(text) }, [say(readBackOf(text))])),
    ],
  })
  const client = await fixture.start()
  return { client, notes, press: digit => client.send({ type: 'dtmf', digit }) }
}

/** A key is refused, and the question asked again; then it answers. */
async function isAskedAgain({ client, press, notes }, token) {
  press('1')
  assert.equal((await client.next('error')).code, 'not_asked')
  assert.deepEqual(notes, [])
  await client.next(isSaid(readBackOf('milk')))
  press('1')
  const { type: _, ...closed } = await client.next('confirmationClosed')
  assert.deepEqual([closed, notes], [{ token, outcome: 'confirmed', by: 'dtmf' }, ['milk']])
}

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: a key is no answer to what the model asks later`, async t => {
    const staged = await stage(t, provider, [saves('save', 'milk'), on('and', [say('Press one to hear the weather.')])])
    const { client } = staged
    client.say('save')
    const { request } = await client.next('confirmation')
    await client.next('turnComplete')
    client.say('and')
    await client.next(isSaid('weather'))
    await client.next('turnComplete')
    await isAskedAgain(staged, request.token)
  })

  test(`${provider}: what the model says later without a question leaves the key its answer`, async t => {
    const { client, press, notes } = await stage(t, provider, [
      saves('save', 'milk'),
      on('wait', [say('Take your time.')]),
    ])
    client.say('save')
    await client.next('confirmation')
    await client.next('turnComplete')
    client.say('wait')
    await client.next(isSaid('Take your time'))
    press('1')
    assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
    assert.deepEqual(notes, ['milk'])
  })

  test(`${provider}: a key is no answer while a newer question is shown`, async t => {
    const staged = await stage(t, provider, [saves('save', 'milk'), saves('more', 'bread', 'One after another.')])
    const { client } = staged
    client.say('save')
    const { request } = await client.next('confirmation')
    await client.next('turnComplete')
    client.say('more')
    await client.next('confirmation')
    await client.next(isSaid('One after another'))
    await client.next('turnComplete')
    await isAskedAgain(staged, request.token)
  })
}

test('a key is no answer to other words instead of the read-back', async t => {
  const staged = await stage(t, 'gemini', [saves('save', 'milk', 'I have thrown away the note milk. Is that right?')])
  const { client } = staged
  client.say('save')
  const { request } = await client.next('confirmation')
  await client.next(isSaid('thrown away'))
  await client.next('turnComplete')
  await isAskedAgain(staged, request.token)
})

for (const provider of ['gemini', 'openai'])
  test(`${provider}: what a confirmed call's handler asks is read back while the call runs, and a key answers it`, async t => {
    const plan_save = ({ callTool }) => callTool('note_save', { text: 'milk' }, { confirmation: 'wait' })
    const rules = [
      on('list', [call('plan_save', { text: 'a list' })], [say('Plan save: text: a list. Shall I do that?')]),
    ]
    const { client, notes, press } = await stage(t, provider, rules, { plan_save })
    client.say('list')
    const { request: outer } = await client.next('confirmation')
    client.send({ type: 'confirm', token: outer.token })
    const { request: nested, readBack } = await client.next('confirmation')
    assert.equal(readBack, readBackOf('milk'))
    // Its card closes: the call runs.
    const { type: _, ...begun } = await client.next('confirmationClosed')
    assert.deepEqual(begun, { token: outer.token, outcome: 'confirmed', by: 'button' })
    await client.next(isSaid(readBack))
    let closed
    // A key before the end of the question has it read again.
    while (closed === undefined) {
      press('1')
      const frame = await client.next(({ type, code }) => type === 'confirmationClosed' || code === 'not_asked')
      if (frame.type === 'confirmationClosed') closed = frame
      else await client.next('turnComplete')
    }
    assert.deepEqual([closed.token, closed.outcome], [nested.token, 'confirmed'])
    await client.next(({ type, name }) => type === 'toolResult' && name === 'plan_save')
    assert.deepEqual(notes, ['milk'])
    assert.equal(client.ofType('confirmationClosed').length, 2)
  })
