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

/** @param {object[]} [more] rules beside those of every test */
async function ask(t, more = []) {
  const notes = []
  const note_save = async ({ args }) => {
    notes.push(args.text)
    return { ok: true, data: { saved: args.text } }
  }
  const fixture = await startFixture(t, { handlers: { note_save }, rules: [...more, ...rules] })
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
    'Create "Review" from Mon 6 May 2030, 04:00 (America/New_York) to Mon 6 May 2030, 05:00 (America/New_York), inviting ada@example.com',
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

const edited = { text: 'buy bread' }
/** One that ends with the test's own events, in time for none of its own. */
const grant = { scope: 'tool', calls: 2, ttlMs: 60_000 }

test('the card knows what its user may change and grant', async t => {
  const { request } = await ask(t)
  assert.equal(request.grantable, 'tool')
  assert.deepEqual(Object.keys(request.parameters.properties), ['text'])
})

test('changed on the card, it runs as its user wants it, once, and the model hears what ran', async t => {
  const { client, request, notes, written } = await ask(t)
  client.send({ type: 'confirm', token: request.token, args: edited })
  assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
  const result = await client.next('toolResult')
  assert.deepEqual(
    [result.ok, result.data, result.edited, notes],
    [true, { saved: 'buy bread' }, [{ path: '/text', value: 'buy bread' }], ['buy bread']],
  )
  assert.equal(await client.answer(), 'It is saved.')
  const note = written().find(text => text.includes('The user confirmed'))
  assert.match(note, /with changes of their own.*"path":"\/text","value":"buy bread".*Do not call it again with/)
  // A model that does so nevertheless gets the answer of what ran.
  client.say('save')
  assert.equal((await client.next('toolResult')).ok, true)
  assert.deepEqual(notes, ['buy bread'])
})

test('unchanged arguments are no changes', async t => {
  const { client, request, written } = await ask(t)
  client.send({ type: 'confirm', token: request.token, args: request.args })
  assert.equal((await client.next('toolResult')).edited, undefined)
  await client.answer()
  assert.ok(!written().some(text => text.includes('changes')))
})

const deep = text => Array.from({ length: 20_000 }).reduce(inner => `[${inner}]`, text)
for (const [what, wishes, path] of [
  ['changes', { args: { text: 'x'.repeat(201) } }, '/text'],
  ['changes of arguments that there are not', { args: { ...edited, to: 'ada' } }, ''],
  ['changes without a required argument', { args: {} }, ''],
  ['a grant that is out of bounds', { grant: { ...grant, calls: 101 } }],
  ['a grant of another scope', { grant: { ...grant, scope: 'session' } }],
  ['changes that are too deep', { args: { text: 'deep' } }],
])
  test(`refused ${what} run nothing, and the question stays open`, async t => {
    const { client, request, notes, written } = await ask(t)
    const frame = JSON.stringify({ type: 'confirm', token: request.token, ...wishes })
    client.send(frame.replace('"deep"', deep('')))
    const refused = await client.next('error')
    assert.deepEqual([refused.code, refused.errorType, refused.token], ['not_confirmed', 'VALIDATION', request.token])
    assert.ok(refused.message.length > 0)
    if (path !== undefined) assert.equal(refused.details[0].instancePath, path)
    assert.deepEqual([notes, client.ofType('confirmationClosed'), client.ofType('grants')], [[], [], []])
    assert.equal(client.ofType('toolResult').length, 1)
    client.send({ type: 'confirm', token: request.token, args: edited })
    assert.equal((await client.next('toolResult')).ok, true)
    assert.equal(await client.answer(), 'It is saved.')
    assert.deepEqual(notes, ['buy bread'])
    assert.equal(written().filter(text => text.includes('The user confirmed')).length, 1)
  })

for (const [what, members] of [
  ['misspelt changes', { arg: edited }],
  ['a misspelt grant', { grants: grant }],
  ['changes that are a text', { args: '{}' }],
  ['changes that are a list', { args: [] }],
  ['changes that are null', { args: null }],
  ['a grant that is no object', { grant: true }],
  ['a grant without calls', { grant: { ...grant, calls: undefined } }],
  ['a grant with a text', { grant: { ...grant, ttlMs: '60000' } }],
  ['a grant with a misspelt member', { grant: { ...grant, ttl: 1 } }],
])
  test(`a frame with ${what} answers nothing`, async t => {
    const { client, request, notes, registry } = await ask(t)
    client.send({ type: 'confirm', token: request.token, ...members })
    assert.equal((await client.next('error')).code, 'bad_frame')
    const { sessionId, resumeToken } = client.started
    const page = await registry.createSession({ sessionId, resumeToken, mode: 'text' })
    assert.deepEqual([(await page.listPending()).length, notes], [1, []])
  })

test('a grant lets later calls run unasked, is counted, and ends when its user says so', async t => {
  const { client, request, notes, start } = await ask(t, [
    on('bread', [call('note_save', { text: 'bread' })], [say('Done.')]),
    on('tea', [call('note_save', { text: 'tea' })], [say('Asked.')]),
  ])
  client.send({ type: 'confirm', token: request.token, grant })
  const [given] = (await client.next('grants')).grants
  assert.deepEqual([given.tool, given.scope, given.callsLeft, given.via], ['note_save', 'tool', 2, 'page'])
  client.say('bread')
  assert.equal((await client.next(({ grants }) => grants?.[0]?.callsLeft === 1)).grants.length, 1)
  await client.next(({ type, text }) => type === 'transcript' && text === 'Done.')
  assert.deepEqual([notes, client.ofType('confirmation').length], [['buy milk', 'bread'], 1])

  const { sessionId, resumeToken } = client.started
  await client.close()
  const again = await start({ sessionId, resumeToken })
  assert.equal((await again.next('grants')).grants[0].id, given.id)
  again.send({ type: 'revoke', grant: given.id })
  assert.deepEqual((await again.next('grants')).grants, [])
  again.say('tea')
  assert.equal((await again.next('confirmation')).request.args.text, 'tea')
  assert.deepEqual(notes, ['buy milk', 'bread'])
})

test('what the tool does not allow is not offered, and grants nothing', async t => {
  const briefs = []
  const brief_save = async ({ args }) => (briefs.push(args), { ok: true, data: {} })
  const { start } = await startFixture(t, {
    handlers: { brief_save },
    rules: [on('save', [call('brief_save', ARGS)], [say('Shall I?')])],
  })
  const client = await start()
  client.say('save')
  const { request } = await client.next('confirmation')
  assert.equal(request.grantable, undefined)
  client.send({ type: 'confirm', token: request.token, grant: { ...grant, scope: 'args' } })
  const refused = await client.next('error')
  assert.deepEqual([refused.code, refused.errorType, briefs], ['not_confirmed', 'VALIDATION', []])
  client.send({ type: 'confirm', token: request.token })
  assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
  assert.equal(client.ofType('grants').length, 0)
})

test('changes that come after the time is over run nothing', async t => {
  const briefs = []
  const brief_save = async ({ args }) => (briefs.push(args), { ok: true, data: {} })
  const { start } = await startFixture(t, {
    handlers: { brief_save },
    rules: [on('save', [call('brief_save', ARGS)], [say('Shall I?')])],
  })
  const client = await start()
  client.say('save')
  const { request } = await client.next('confirmation')
  const closed = await client.next('confirmationClosed')
  assert.equal(closed.outcome, 'expired')
  client.send({ type: 'confirm', token: request.token, args: edited })
  assert.equal((await client.next('confirmationClosed')).outcome, 'expired')
  assert.deepEqual(briefs, [])
})

for (const [first, second, ran] of [
  [{}, { args: edited }, 'buy milk'],
  [{ args: edited }, {}, 'buy bread'],
])
  test(`of two answers at once, one counts, and its ${ran} runs`, async t => {
    const { client, request, notes } = await ask(t)
    for (const wishes of [first, second]) client.send({ type: 'confirm', token: request.token, ...wishes })
    await client.next('toolResult')
    client.say('save')
    await client.next('turnComplete')
    assert.deepEqual(notes, [ran])
  })
