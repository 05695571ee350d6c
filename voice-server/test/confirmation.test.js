// Confirmations: answered by the user, never by the model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, on, say, startFixture } from './support/fixture.js'

const ARGS = { text: 'buy milk' }
const rules = [
  on('save', [call('note_save', ARGS)], [say('{{result.error.type|ok}}')]),
  on({ contains: 'The user confirmed' }, [say('It is saved.')]),
  on({ contains: 'The user declined' }, [say('Then not.')]),
]

async function ask(t) {
  const notes = []
  const note_save = async ({ args }) => {
    notes.push(args.text)
    return { ok: true, data: { saved: args.text } }
  }
  const fixture = await startFixture(t, { handlers: { note_save }, rules })
  const client = await fixture.start()
  client.say('save')
  const { request } = await client.next('confirmation')
  await client.next('turnComplete')
  return { ...fixture, client, request, notes }
}

test('the user is shown what will happen; confirmed, it runs once and the model hears of it', async t => {
  const { client, request, notes, answers, sim } = await ask(t)
  assert.deepEqual([request.tool, request.args], ['note_save', ARGS])
  assert.ok(request.expires > Date.now() && request.preview.length > 0)
  assert.deepEqual(notes, [])
  assert.equal(answers()[0].response.error.type, 'CONFIRMATION_REQUIRED')

  client.send({ type: 'confirm', token: request.token })
  assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
  assert.deepEqual([(await client.next('toolResult')).ok, notes], [true, ['buy milk']])
  assert.equal(await client.answer(), 'It is saved.')
  assert.ok(!JSON.stringify(sim.received).includes(request.token))
})

test('a time is shown in the time zone of the client', async t => {
  const meeting = {
    title: 'Review',
    start_time: '2030-05-06T10:00:00+02:00',
    end_time: '2030-05-06T11:00:00+02:00',
    attendees: ['ada@example.com'],
  }
  const { start } = await startFixture(t, {
    rules: [on('schedule', [call('calendar_create_event', meeting)], [say('Shall I?')])],
  })
  const client = await start({ timeZone: 'America/New_York' })
  client.say('schedule')
  const { request } = await client.next('confirmation')
  assert.equal(
    request.preview,
    'Create "Review" from Mon 6 May 2030, 04:00 (America/New_York) to Mon 6 May 2030, 05:00 (America/New_York), attendees: ada@example.com, video link: true, description: ""',
  )
})

test('a second answer runs nothing and gets the outcome of the first', async t => {
  const { client, request, notes } = await ask(t)
  client.send({ type: 'confirm', token: request.token })
  const first = [await client.next('confirmationClosed'), await client.next('toolResult')]
  for (const type of ['confirm', 'deny']) {
    client.send({ type, token: request.token })
    assert.deepEqual([await client.next('confirmationClosed'), await client.next('toolResult')], first)
  }
  assert.deepEqual([first[0].outcome, first[1].ok, notes], ['confirmed', true, ['buy milk']])
})

test('confirmed twice at once, it is confirmed once and never expired', async t => {
  const { client, request, notes } = await ask(t)
  for (let at = 0; at < 2; at += 1) client.send({ type: 'confirm', token: request.token })
  client.say('save')
  await client.next('turnComplete')
  assert.deepEqual(
    client.ofType('confirmationClosed').map(({ outcome }) => outcome),
    ['confirmed'],
  )
  assert.deepEqual(notes, ['buy milk'])
})

for (const [first, outcome] of [
  ['confirm', 'confirmed'],
  ['deny', 'denied'],
]) {
  test(`an approval here, after \`${first}\` in another tab, shows that outcome`, async t => {
    const { client, request, notes, registry } = await ask(t)
    const { sessionId, resumeToken } = client.started
    const page = await registry.createSession({ sessionId, resumeToken, mode: 'text' })
    await page[first](request.token)
    client.send({ type: 'confirm', token: request.token })
    assert.deepEqual(await client.next('confirmationClosed'), {
      type: 'confirmationClosed',
      token: request.token,
      outcome,
      by: 'elsewhere',
    })
    if (first === 'confirm') assert.equal((await client.next('toolResult')).data.saved, 'buy milk')
    assert.deepEqual(notes, first === 'confirm' ? ['buy milk'] : [])
  })
}

test('an approval that is sent again after a reconnect runs nothing and is told that the first one counts', async t => {
  const { client, request, notes, start } = await ask(t)
  client.send({ type: 'confirm', token: request.token })
  await client.next('confirmationClosed')
  await client.close()
  const { sessionId, resumeToken } = client.started
  const again = await start({ sessionId, resumeToken })
  again.send({ type: 'confirm', token: request.token })
  assert.equal((await again.next('confirmationClosed')).outcome, 'confirmed')
  assert.deepEqual([notes, again.ofType('toolResult')], [['buy milk'], []])
})

test('declined, it does not run, and the model hears why', async t => {
  const { client, request, notes, sim } = await ask(t)
  client.send({ type: 'deny', token: request.token, reason: 'not now' })
  assert.equal((await client.next('confirmationClosed')).outcome, 'denied')
  assert.equal(await client.answer(), 'Then not.')
  assert.deepEqual(notes, [])
  assert.ok(JSON.stringify(sim.received).includes('not now'))
})

test('a made-up token confirms nothing and is not told to the model', async t => {
  const { client, notes, sim } = await ask(t)
  client.send({ type: 'confirm', token: 'made-up-token-of-somebody-else' })
  assert.equal((await client.next('toolResult')).errorType, 'CONFIRMATION_EXPIRED')
  client.send({ type: 'deny', token: 'made-up-token-of-somebody-else' })
  await client.next('confirmationClosed')
  assert.deepEqual(notes, [])
  assert.equal(sim.received.filter(({ json }) => json?.clientContent).length, 1)
})

test('what waits for consent is shown again after a reconnect, and can be given then', async t => {
  const { client, request, notes, start } = await ask(t)
  await client.close()
  const { sessionId, resumeToken } = client.started
  const again = await start({ sessionId, resumeToken })
  assert.deepEqual((await again.next('confirmation')).request, request)
  again.send({ type: 'confirm', token: request.token })
  await again.next('toolResult')
  assert.deepEqual(notes, ['buy milk'])
})
