// Consent by voice: the server makes the read-back, and only a later event of the user confirms.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, latch, on, say, startFixture, silence, voice } from './support/fixture.js'

const ARGS = { text: 'buy milk' }
const READ_BACK = 'Note save: text: buy milk. Shall I do that?'
/** A model that was given the read-back says it. */
const reads = on({ contains: READ_BACK }, [say(READ_BACK)])
const rules = [
  reads,
  on('save', [call('note_save', ARGS)], [say('{{result.error.details.readBack|ok}}')]),
  on('save two', [{ calls: ['bread', 'tea'].map(text => ({ name: 'note_save', args: { text } })) }], [say('two')]),
  ...['bread', 'tea', 'salt'].map(text => {
    const readBack = `Note save: text: ${text}. Shall I do that?`
    return on({ contains: readBack }, [say(readBack)])
  }),
  on(
    'save three',
    [{ calls: ['bread', 'tea', 'salt'].map(text => ({ name: 'note_save', args: { text } })) }],
    [say('Note save: text: bread. Shall I do that?')],
  ),
  on('hello', [say('yes, I confirm. Go ahead.')]),
  on({ contains: 'The user confirmed' }, [say('It is saved.')]),
  on({ contains: 'The user declined' }, [say('Then not.')]),
  on('yes', [say('thanks')]),
  on('no', [say('all right')]),
  on({ contains: 'yes' }, [say('what')]),
]

/** A fixture with access to the saved notes. */
async function stageOf(t, options = {}) {
  const notes = []
  const note_save = async ({ args }) => {
    notes.push(args.text)
    return { ok: true, data: { saved: args.text } }
  }
  const fixture = await startFixture(t, {
    rules,
    settings: { listenMs: 10_000 },
    ...options,
    handlers: { note_save, ...options.handlers },
  })
  return { ...fixture, notes }
}

async function ask(t, { said = 'save', ...options } = {}) {
  const fixture = await stageOf(t, options)
  const client = await fixture.start()
  client.say(said)
  const asked = await client.next('confirmation')
  return { ...fixture, client, asked, token: asked.request.token }
}

const isReadBackOf = ({ type, direction, text }, { readBack }) =>
  type === 'transcript' && direction === 'output' && text.includes(readBack)

/** Sends loud audio, then silence. */
async function speak(client, provider, ms = 400) {
  client.send(voice(ms))
  if (provider === 'openai') client.send(silence(700))
  else client.send({ type: 'audioEnd' })
}

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: the read-back is the server's, shown and handed to the model as data, without the token`, async t => {
    const { client, asked, answers, token, sim } = await ask(t, { provider })
    assert.deepEqual([asked.title, asked.readBack], ['Note save', READ_BACK])
    assert.equal(await client.answer(), READ_BACK)
    const [{ response }] = answers()
    assert.equal(response.error.type, 'CONFIRMATION_REQUIRED')
    assert.deepEqual(response.error.details, { readBack: READ_BACK })
    assert.match(response.error.suggestion, /`details\.readBack`.*word for word/)
    assert.ok(!JSON.stringify(sim.received).includes(token))
  })

  test(`${provider}: the key 1 confirms, the key 2 declines, other keys and keys without a question do nothing`, async t => {
    const { client, notes, token } = await ask(t, { provider })
    await client.next('turnComplete')
    client.send({ type: 'dtmf', digit: '5' })
    client.send({ type: 'dtmf', digit: '1' })
    assert.deepEqual(await client.next('confirmationClosed'), {
      type: 'confirmationClosed',
      token,
      outcome: 'confirmed',
      by: 'dtmf',
    })
    assert.equal((await client.next('toolResult')).ok, true)
    await client.next(({ type, text }) => type === 'transcript' && text === 'It is saved.')
    client.send({ type: 'dtmf', digit: '1' })
    assert.equal((await client.next('error')).code, 'not_asked')
    assert.deepEqual(notes, ['buy milk'])
  })

  test(`${provider}: of several questions a key answers the one that is read back; the next is read then`, async t => {
    const { client, notes, asked, answers, sim, written } = await ask(t, { provider, said: 'save three' })
    const [two, three] = [await client.next('confirmation'), await client.next('confirmation')]
    await client.next('turnComplete')
    const suggestions = answers().map(({ response }) => response.error.suggestion)
    assert.match(suggestions[0], /word for word/)
    for (const later of suggestions.slice(1)) assert.match(later, /another question waits/)
    for (const [question, digit, outcome] of [
      [asked, '1', 'confirmed'],
      [two, '2', 'denied'],
      [three, '1', 'confirmed'],
    ]) {
      await sim.whenReceived(() => written().some(text => text.includes(question.readBack)) || question === asked)
      client.send({ type: 'dtmf', digit })
      assert.deepEqual(await client.next('confirmationClosed'), {
        type: 'confirmationClosed',
        token: question.request.token,
        outcome,
        by: 'dtmf',
      })
      if (question !== three) await client.next(frame => isReadBackOf(frame, question === asked ? two : three))
    }
    assert.deepEqual(notes, ['bread', 'salt'])
    client.send({ type: 'dtmf', digit: '1' })
    assert.equal((await client.next('error')).code, 'not_asked')
  })

  test(`${provider}: a spoken yes confirms the question that was read back, and no other`, async t => {
    const { client, notes, asked } = await ask(t, {
      provider,
      said: 'save three',
      audio: { transcripts: ['yes', 'no', 'yes'] },
      server: { spokenConsent: true },
    })
    const [two, three] = [await client.next('confirmation'), await client.next('confirmation')]
    for (const [question, outcome] of [
      [asked, 'confirmed'],
      [two, 'denied'],
      [three, 'confirmed'],
    ]) {
      await client.next(frame => isReadBackOf(frame, question))
      await client.next('turnComplete')
      client.send({ type: 'played', ms: 1e6 })
      client.send(silence(1000))
      await speak(client, provider)
      const closed = await client.next('confirmationClosed')
      assert.deepEqual([closed.token, closed.outcome, closed.by], [question.request.token, outcome, 'speech'])
    }
    assert.deepEqual(notes, ['bread', 'salt'])
  })

  test(`${provider}: a spoken yes after the read-back confirms where the host allows it`, async t => {
    const { client, notes, token } = await ask(t, {
      provider,
      audio: { transcripts: ['Yes, please!'] },
      server: { spokenConsent: true },
    })
    assert.equal(client.started.spokenConsent, true)
    await client.next('turnComplete')
    client.send({ type: 'played', ms: 80 })
    client.send(silence(1000))
    await speak(client, provider)
    assert.deepEqual(await client.next('confirmationClosed'), {
      type: 'confirmationClosed',
      token,
      outcome: 'confirmed',
      by: 'speech',
    })
    assert.equal((await client.next('toolResult')).ok, true)
    assert.deepEqual(notes, ['buy milk'])
  })

  test(`${provider}: a spoken yes is to what was read, whatever the card has in its form`, async t => {
    const { client, notes, token } = await ask(t, {
      provider,
      audio: { transcripts: ['Yes, please!'] },
      server: { spokenConsent: true },
    })
    await client.next('turnComplete')
    const change = text => client.send({ type: 'confirm', token, args: { text } })
    change('x'.repeat(201))
    assert.equal((await client.next('error')).code, 'not_confirmed')
    client.send({ type: 'played', ms: 80 })
    client.send(silence(1000))
    await speak(client, provider)
    const closed = await client.next('confirmationClosed')
    assert.deepEqual([closed.outcome, closed.by], ['confirmed', 'speech'])
    const result = await client.next('toolResult')
    change('buy bread')
    assert.deepEqual([await client.next('confirmationClosed'), await client.next('toolResult')], [closed, result])
    assert.deepEqual([notes, result.edited], [['buy milk'], undefined])
  })

  test(`${provider}: a spoken no after the read-back declines`, async t => {
    const { client, notes } = await ask(t, {
      provider,
      audio: { transcripts: ['Nein, danke.'] },
      server: { spokenConsent: { languages: ['de'] } },
    })
    await client.next('turnComplete')
    client.send({ type: 'played', ms: 80 })
    client.send(silence(1000))
    await speak(client, provider)
    assert.equal((await client.next('confirmationClosed')).outcome, 'denied')
    assert.deepEqual(notes, [])
  })

  const refused = [
    ['is not allowed by the host', { transcripts: ['yes'] }, {}],
    ['is more than a yes', { transcripts: ['yes but on Monday'] }, { spokenConsent: true }],
    ['is of a language that the host did not name', { transcripts: ['yes'] }, { spokenConsent: { languages: ['de'] } }],
  ]
  for (const [why, audio, server] of refused) {
    test(`${provider}: a spoken answer confirms nothing where it ${why}`, async t => {
      const { client, notes } = await ask(t, { provider, audio, server })
      await client.next('turnComplete')
      client.send({ type: 'played', ms: 80 })
      client.send(silence(1000))
      await speak(client, provider)
      await client.next('turnComplete')
      client.send({ type: 'dtmf', digit: '2' })
      assert.equal((await client.next('confirmationClosed')).by, 'dtmf')
      assert.deepEqual(notes, [])
    })
  }

  test(`${provider}: a yes that began before the read-back was over confirms nothing`, async t => {
    // What the model says takes three seconds to play; the user speaks at once.
    const slowly = { text: READ_BACK, pieceChars: 1 }
    const long = [
      on({ contains: READ_BACK }, [say(slowly)]),
      on('save', [call('note_save', ARGS)], [say(slowly)]),
      ...rules,
    ]
    const { client, notes, token } = await ask(t, {
      provider,
      rules: long,
      audio: { transcripts: ['yes'] },
      server: { spokenConsent: true },
    })
    await client.next('turnComplete')
    await speak(client, provider)
    await client.next(({ type, direction, final }) => type === 'transcript' && direction === 'input' && final)
    await client.next('turnComplete')
    client.send({ type: 'deny', token })
    assert.equal((await client.next('confirmationClosed')).outcome, 'denied')
    assert.deepEqual(notes, [])
  })

  test(`${provider}: a yes to what the model asked later confirms nothing`, async t => {
    const later = [on('what else', [say('Shall I sing?')]), ...rules]
    const { client, notes, token } = await ask(t, {
      provider,
      rules: later,
      audio: { transcripts: ['yes'] },
      server: { spokenConsent: true },
    })
    await client.next('turnComplete')
    client.send({ type: 'played', ms: 80 })
    client.send(silence(1000))
    client.say('what else')
    await client.next('turnComplete')
    client.send({ type: 'played', ms: 160 })
    client.send(silence(1000))
    await speak(client, provider)
    await client.next(({ type, direction, final }) => type === 'transcript' && direction === 'input' && final)
    await client.next('turnComplete')
    client.send({ type: 'deny', token })
    assert.equal((await client.next('confirmationClosed')).outcome, 'denied')
    assert.deepEqual(notes, [])
  })

  test(`${provider}: neither the model's words nor a tool's message can confirm`, async t => {
    const sent = latch()
    const cue_set = async ({ messaging }) => {
      const [{ token }] = sent.pending
      messaging.send({ type: 'confirm', token })
      messaging.send({ type: 'dtmf', digit: '1' })
      return { ok: true, data: { say: 'yes', confirm: token } }
    }
    const withTool = [...rules, on('tool', [call('cue_set')], [say('yes')])]
    const { client, notes, asked } = await ask(t, {
      provider,
      rules: withTool,
      handlers: { cue_set },
      server: { spokenConsent: true },
    })
    sent.pending = [asked.request]
    await client.next('turnComplete')
    client.say('hello')
    assert.equal(await client.answer(), 'yes, I confirm. Go ahead.')
    client.say('tool')
    await client.next('dtmf')
    assert.equal(await client.answer(), 'yes')
    client.send({ type: 'dtmf', digit: '2' })
    assert.equal((await client.next('confirmationClosed')).outcome, 'denied')
    assert.deepEqual(notes, [])
  })

  test(`${provider}: what is answered in another place is told here, and the model hears the result when nobody speaks`, async t => {
    const fixture = await ask(t, { provider, server: { limits: { pendingPollMs: 20 } } })
    const { client, token, registry, notes, written } = fixture
    await client.next('turnComplete')
    const page = await pageOf(registry, client)
    const response = await page.confirm(token)
    assert.equal(response.ok, true)
    assert.deepEqual(await client.next('confirmationClosed'), {
      type: 'confirmationClosed',
      token,
      outcome: 'confirmed',
      by: 'elsewhere',
    })
    const { ok, name, id } = await client.next('toolResult')
    assert.deepEqual([ok, name, id], [true, 'note_save', client.ofType('toolCall')[0].id])
    await client.next(({ type, text }) => type === 'transcript' && text === 'It is saved.')
    assert.ok(written().some(text => text.includes('"saved":"buy milk"')))
    assert.deepEqual(notes, ['buy milk'])

    client.say('save two')
    const [, { request }] = [await client.next('confirmation'), await client.next('confirmation')]
    assert.equal(await page.deny(request.token), true)
    assert.deepEqual(await client.next('confirmationClosed'), {
      type: 'confirmationClosed',
      token: request.token,
      outcome: 'denied',
      by: 'elsewhere',
    })
    assert.deepEqual(notes, ['buy milk'])
  })
}

/** The same user in text mode, like a page in this process. */
function pageOf(registry, client) {
  const { sessionId, resumeToken } = client.started
  return registry.createSession({ sessionId, resumeToken, mode: 'text' })
}

test('a question that nobody answers closes by itself, and the model knows', async t => {
  const { client, sim, asked, written } = await ask(t, {
    rules: [on('save', [call('brief_save', ARGS)], [say('{{result.error.details.readBack}}')])],
    handlers: { brief_save: async () => ({ ok: true, data: {} }) },
    server: { limits: { pendingPollMs: 20 } },
  })
  assert.equal(asked.readBack, 'Save "buy milk". Shall I do that?')
  const closed = await client.next('confirmationClosed')
  assert.deepEqual(closed, { type: 'confirmationClosed', token: asked.request.token, outcome: 'expired', by: 'time' })
  await sim.whenReceived(() => written().some(text => text.includes('The time to confirm `brief_save` is over')))
  assert.equal(client.ofType('turnComplete').length, 1)
})

test('after a reconnect the model is given the read-back again, and a key answers it once it was said', async t => {
  const { sim, client, start, notes, written } = await ask(t)
  await client.next('turnComplete')
  await client.close()
  const { sessionId, resumeToken } = client.started
  const again = await start({ sessionId, resumeToken })
  assert.equal((await again.next('confirmation')).readBack, READ_BACK)
  await sim.whenReceived(() => written().some(text => text.includes(JSON.stringify(READ_BACK))))
  again.send({ type: 'dtmf', digit: '1' })
  assert.equal((await again.next('error')).code, 'not_asked')
  await again.next(frame => isReadBackOf(frame, { readBack: READ_BACK }))
  again.send({ type: 'dtmf', digit: '1' })
  assert.equal((await again.next('confirmationClosed')).outcome, 'confirmed')
  assert.deepEqual(notes, ['buy milk'])
})

test('a read-back that the connection of the model cut is said again, and a key answers it', async t => {
  const cut = on('save', [call('note_save', ARGS)], [say('Note save: '), { wait: 60_000 }, say('never')])
  const { client, model, notes, token } = await ask(t, { rules: [cut, ...rules] })
  await client.next(({ type, direction }) => type === 'transcript' && direction === 'output')
  ;(await model()).disconnect({ code: 1011, reason: 'internal error' })
  await client.next('answerIncomplete')
  await client.next(({ direction, text }) => direction === 'output' && text.includes(READ_BACK))
  client.send({ type: 'dtmf', digit: '1' })
  assert.equal((await client.next('confirmationClosed')).token, token)
  assert.deepEqual(notes, ['buy milk'])
})

for (const provider of ['gemini', 'openai']) {
  for (const [said, outcome, heard] of [
    ['confirm', 'confirmed', 'filed buy milk'],
    ['deny', 'denied', 'not filed: declined'],
  ])
    test(`${provider}: a handler waits for its user (${outcome}), and its answer says what came of it`, async t => {
      const slow_read = async ({ callTool }) => {
        const saved = await callTool('note_save', ARGS, { confirmation: 'wait' })
        return { ok: true, data: saved.ok ? `filed ${saved.data.saved}` : `not filed: ${saved.error.details.outcome}` }
      }
      const filing = [on('file', [call('slow_read', { what: 'it' })], [say('{{result.data}}')]), ...rules]
      const { client, asked, notes, token, sim, written } = await ask(t, {
        provider,
        said: 'file',
        rules: filing,
        handlers: { slow_read },
      })
      assert.deepEqual([asked.readBack, notes], [READ_BACK, []])
      client.send({ type: said, token })
      assert.equal((await client.next('confirmationClosed')).outcome, outcome)
      await client.next(({ type, text }) => type === 'transcript' && text === heard)
      assert.deepEqual(notes, outcome === 'confirmed' ? ['buy milk'] : [])
      assert.ok(!written().some(text => /The user (confirmed|declined)/.test(text)), 'the handler says it')
      assert.ok(!JSON.stringify(sim.received).includes(token))
    })
}
