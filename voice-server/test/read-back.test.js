// A spoken yes counts after the read-back alone: dialogues with distractions, in English and German, and yeses at the speed at
// which people speak.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBackCheck } from '../src/consent/read-back-check.js'
import { spokenTokens } from '../src/consent/spoken-tokens.js'
import { call, on, say, silence, startFixture, voice } from './support/fixture.js'

const server = { spokenConsent: { languages: ['en', 'de'] } }
const isFinalInput = ({ type, direction, final }) => type === 'transcript' && direction === 'input' && final

/** What is read, by language, of a note; `text` stands for it: the server's words, with pauses, and in other words. */
const READ = {
  en: [
    'Note save: text: {text}. Shall I do that?',
    'Okay, um, note save: text: {text}. Is that right?',
    'I have thrown away the note {text}. Is that right?',
  ],
  de: [
    'Note save: text: {text}. Soll ich das tun?',
    'Also, ähm, note save: text: {text}. Passt das so?',
    'Ich speichere {text}. Passt das so?',
  ],
}
const DISTRACTIONS = {
  en: ['Do you like the sunny weather?', 'Are you still there?', 'Would you also like to hear a joke?'],
  de: ['Magst du das sonnige Wetter?', 'Hörst du mich noch?', 'Soll ich auch einen Witz erzählen?'],
}
const OTHERS = {
  en: 'Note save: text: pay 70 euros to Bob. Shall I do that?',
  de: 'Ich speichere siebzig Euro an Bob. Soll ich das tun?',
}
const YES = { en: 'Yes, please!', de: 'Ja, bitte.' }

/** Each dialogue: what the model says of a note, and whether a yes then answers the question. */
function dialogues() {
  return ['en', 'de'].flatMap(language => {
    const [first, second, other] = READ[language]
    const [weather, there, joke] = DISTRACTIONS[language]
    return [
      [first, 1],
      [second, 1],
      [`${weather} ${second}`, 0],
      [other, 0],
      [weather, 0],
      [`${there} ${joke}`, 0],
      [`${first} ${weather}`, 0],
      [`${second} ${joke}`, 0],
      [OTHERS[language], 0],
      [`${OTHERS[language]} ${there}`, 0],
      [first.replace('{text}', '…'), 0],
    ].map(([says, runs]) => ({ language, says, runs }))
  })
}

const NOTE = at => `pay ${40 + at} euros to Ada Müller`

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: of ${dialogues().length} dialogues, a yes runs those once whose read-back was said last`, async t => {
    const said = dialogues().map((dialogue, at) => ({ ...dialogue, note: NOTE(at) }))
    const saved = []
    const { start } = await startFixture(t, {
      provider,
      server,
      settings: { listenMs: 10_000, toneMs: 20 },
      audio: { transcripts: said.map(({ language }) => YES[language]) },
      handlers: { note_save: async ({ args }) => (saved.push(args.text), { ok: true, data: {} }) },
      rules: [
        ...said.flatMap(({ note, says }, at) => {
          const speech = [say(says.replaceAll('{text}', note))]
          return [
            on(`save ${at}`, [call('note_save', { text: note })], speech),
            on({ contains: `text: ${note}.` }, speech),
          ]
        }),
        on({ regex: '.*' }, [say('All right.')]),
      ],
    })
    const client = await start()
    for (const [at, { says, runs, note }] of said.entries()) {
      client.say(`save ${at}`)
      const { request } = await client.next('confirmation')
      await client.next('turnComplete')
      client.send({ type: 'played', ms: 1e6 })
      await heard()
      client.send(silence(100))
      client.send(voice(400))
      if (provider === 'openai') client.send(silence(700))
      else client.send({ type: 'audioEnd' })
      await client.next(isFinalInput)
      if (runs === 0) client.send({ type: 'deny', token: request.token })
      const { outcome } = await client.next(
        frame => frame.type === 'confirmationClosed' && frame.token === request.token,
      )
      assert.equal(outcome, runs === 1 ? 'confirmed' : 'denied', says)
      assert.equal(saved.filter(text => text === note).length, runs, says)
      await client.next('turnComplete')
    }
  })
}

/** The model's voice of a test is over after some milliseconds. */
const heard = () => new Promise(resolve => setTimeout(resolve, 60))

test('a read-back counts in digits or in words, with every amount, name and time in its place', () => {
  const isReadBack = readBackCheck(
    'Transfer 1250 EUR to Ada Müller on Mon 6 May 2030, 16:30 (Europe/Berlin). Shall I do that?',
    [],
    { now: () => Date.UTC(2030, 0, 1) },
  )
  const yes = [
    'Transfer twelve hundred and fifty euros to Ada Muller on May the sixth at four thirty p.m. Shall I do that?',
    'One moment. Transfer 1,250.00 € to Ada Müller on Monday, 6 May 2030, 16:30, Berlin time. Is that right?',
    'Transfer €1,250 to Ada Müller on the 6th of May at 16:30. Would you like me to do that?',
  ]
  const no = [
    'Am sechsten Mai um 16:30 Uhr überweise ich eintausendzweihundertfünfzig Euro an Ada Müller. Ist das richtig?',
    'To Ada Müller, 1,250.00 €, on Monday, 6 May 2030, 16:30. Would you like me to do that?',
    'Transfer 1,350 euros to Ada Müller on Monday, 6 May 2030, 16:30. Shall I do that?',
    'Transfer 1,250 euros to Eva Müller on Monday, 6 May 2030, 16:30. Shall I do that?',
    'Transfer 1,250 euros to Ada Müller on Monday, 6 May 2030, 4:30 am. Shall I do that?',
    'Transfer 1,250 euros to Ada Müller on Monday, 6 June 2030, 16:30. Shall I do that?',
    'I do not transfer 1,250 euros to Ada Müller on 6 May at 16:30. Shall I do that?',
    'Transfer 1,250 or 9,000 euros to Ada Müller on Monday, 6 May 2030, 16:30. Shall I do that?',
    'Transfer 1,250 euros to Ada Müller. Shall I do that?',
    '',
  ]
  assert.deepEqual([yes.map(isReadBack), no.map(isReadBack)], [yes.map(() => true), no.map(() => false)])
})

test('numbers in words are the numbers in digits', () => {
  const pairs = [
    ['one thousand two hundred and five', '1,205'],
    ['zweitausendfünfhundert', '2.500'],
    ['einundzwanzigster März', '21. März'],
    ['twenty-first of May', '21st of may'],
    ['four thirty in the afternoon', '16:30 in the afternoon'],
    ['12,50', '12.5'],
    ['two million three hundred', '2,000,300'],
    ['May 12, 6 p.m.', 'May 12, 18:00'],
    ['2030-05-06T16:30:00Z', '6 May 2030, 4:30 pm'],
  ]
  for (const [words, digits] of pairs) assert.deepEqual(spokenTokens(words), spokenTokens(digits))
})

const READ_BACK = 'Note save: text: buy milk. Shall I do that?'
const wait = ms => new Promise(resolve => setTimeout(resolve, ms))

/** A question whose read-back is one sound of this length, and the time at which it began to play. */
async function asking(t, provider, toneMs) {
  const saved = []
  const fixture = await startFixture(t, {
    provider,
    server,
    settings: { listenMs: 10_000, toneMs },
    audio: { transcripts: ['yes', 'yes', 'yes'] },
    handlers: { note_save: async ({ args }) => (saved.push(args.text), { ok: true, data: {} }) },
    rules: [
      on({ contains: READ_BACK }, [say(READ_BACK)]),
      on('save', [call('note_save', { text: 'buy milk' })], [say(READ_BACK)]),
      on({ contains: 'The user confirmed' }, [say('It is saved.')]),
      on('yes', [say('Mhm.')]),
    ],
  })
  const client = await fixture.start()
  client.say('save')
  await client.next('confirmation')
  await client.next('audio')
  return { ...fixture, client, saved }
}

/** Speaks, like a client that sends audio only while its user speaks. */
function utter(client) {
  client.send(voice(400))
  client.send({ type: 'audioEnd' })
}

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: a yes counts that begins while the last word fades, without a sound before it`, async t => {
    const { client, saved } = await asking(t, provider, 600)
    await wait(500)
    utter(client)
    const { outcome, by } = await client.next('confirmationClosed')
    assert.deepEqual([outcome, by, saved], ['confirmed', 'speech', ['buy milk']])
  })

  test(`${provider}: a yes in the middle of the read-back is not swallowed: the question is asked again`, async t => {
    const { client, saved, logger } = await asking(t, provider, 1500)
    await wait(200)
    utter(client)
    await client.next(isFinalInput)
    await client.next(({ type, text }) => type === 'transcript' && text === 'Mhm.')
    await client.next(({ type, text }) => type === 'transcript' && text === READ_BACK)
    assert.deepEqual(saved, [])
    await client.next('turnComplete')
    await wait(1600)
    utter(client)
    assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
    assert.deepEqual([saved, logger.lines.filter(({ level }) => level === 'error')], [['buy milk'], []])
  })
}
