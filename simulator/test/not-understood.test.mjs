// A request is taken whole or not at all; what is not understood is answered with sentences that work now.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { assistantStep } from '../src/assistant/index.js'
import { simulate } from './simulate.mjs'

const INSTRUCTIONS = 'For the user it is now 2026-11-26T09:00:00+01:00 in the time zone Europe/Berlin.'
const TOOLS = readdirSync(new URL('../../tools/', import.meta.url), { withFileTypes: true })
  .filter(entry => entry.isDirectory() && /^[a-z]/.test(entry.name))
  .map(({ name }) => JSON.parse(readFileSync(new URL(`../../tools/${name}/schema.json`, import.meta.url), 'utf8')))
  .map(({ toolId: name, parameters, allowedModes }) => ({ name, parameters, allowedModes }))

/** What the assistant does: its words or its call. */
function after(user, { declared = TOOLS, spoken = false } = {}) {
  const conversation = {
    declared,
    instructions: INSTRUCTIONS,
    spoken,
    utterances: [user],
    rounds: [],
    before: undefined,
  }
  const { emit } = assistantStep(conversation)
  return emit[0].say?.text ?? emit[0].call
}

const examplesIn = text => [...text.matchAll(/^- "(.+)"$/gm)].map(([, example]) => example)

test('the answer is one line and three sentences, each of which is understood and calls a declared tool', () => {
  const [line, ...rest] = after('colourless green ideas').split('\n')
  assert.match(line, /^I did not understand that\./)
  assert.equal(rest.length, 3)
  for (let first = 0; first < TOOLS.length; first += 1) {
    const declared = [0, 7, 13].map(step => TOOLS[(first + step) % TOOLS.length])
    const examples = examplesIn(after('colourless green ideas', { declared }))
    const called = examples.map(example => after(example, { declared }).name)
    assert.ok(
      called.every(name => declared.some(tool => tool.name === name)),
      `${examples} call ${called}`,
    )
    assert.equal(new Set(called).size, called.length)
  }
})

test('every tool of an example is called by it, in its own mode', () => {
  const shown = TOOLS.map(tool => [tool, examplesIn(after('colourless green ideas', { declared: [tool] }))])
  for (const [tool, examples] of shown)
    for (const example of examples) assert.equal(after(example, { declared: [tool] }).name, tool.name)
  assert.ok(shown.filter(([, examples]) => examples.length === 1).length >= 20)
})

test('examples of what was asked in part come first, spoken there is one, and without tools none', () => {
  assert.match(examplesIn(after('draw a scatter chart of 3, 5 and 8 in red'))[0], /chart/)
  assert.match(after('colourless green ideas', { spoken: true }), /Try "[^"]+"\.$/)
  assert.match(after('colourless green ideas', { declared: [{ name: 'mine' }] }), /none of the tools/)
})

const BOOK = 'book a tasting session with zoe@example.com tomorrow at 4pm'
const CHART = 'draw a line chart of tea 3, coffee 9, milk 4'
const PARTS = [
  [
    BOOK,
    [
      'every week',
      'unless it rains',
      'in the garden',
      'and paint the door',
      'or on Sunday',
      'at the cafe',
      'and on 5 May',
    ],
  ],
  [
    CHART,
    ['in green', 'on a log scale', 'and mail it to zoe@example.com', 'with a legend', 'without milk', 'for 2025'],
  ],
  ['what time is it in Lima?', ['and in Oslo', 'during Ramadan', 'every morning']],
  ['is zoe@example.com valid?', ['and who owns it?', 'since when?', 'or max@example.com']],
  ['am I free tomorrow afternoon?', ['and Zoe too', 'for 3 people', 'except at 4pm', 'and what does it cost?']],
  ['who knows about kilns?', ['and who fires them?', 'since last Tuesday', 'unless Zoe does', 'and send them a mail']],
]

for (const [whole, parts] of PARTS) {
  test(`"${whole}" is understood, and not with a part more`, () => {
    assert.equal(typeof after(whole).name, 'string')
    for (const part of parts) {
      const said = after(`${whole.replace(/\?$/, '')} ${part}`)
      assert.equal(typeof said, 'string', `${part} => ${JSON.stringify(said)}`)
    }
    for (const no of ["don't", 'do not', 'never']) assert.equal(typeof after(`${no} ${whole}`), 'string', no)
  })
}

test('a part that could not be read leaves the whole undone', () => {
  assert.equal(after(CHART).args.data.length, 3)
  assert.equal(typeof after('draw a line chart of tea 3, coffee lots, milk 4'), 'string')
  assert.equal(typeof after('chart tea 3, coffee 9 and 4, milk 4'), 'string')
  assert.match(after('will it snow in Oslo tomorrow?'), /^I did not understand/)
  assert.match(after("what's the weather in Oslo?"), /^I did not understand/)
})

test('long messages are answered at once, and a long text is passed whole', async t => {
  const started = performance.now()
  for (const words of ['book a meeting ', 'chart titled x ', '[word for word ', '[`a` ', 'please ', '1,', '!  ', 'a:'])
    after(words.repeat(1_000_000 / words.length))
  assert.ok(performance.now() - started < 60_000, 'more than in proportion to the length would take hours')
  const text = 'Kim fires the kiln on Monday: at 9. '.repeat(500).trim()
  assert.equal(after(`please summarize this\n\n${text}`).args.text, text)
  assert.equal(typeof after(`summarize this: ${text.repeat(3)}`), 'string', 'longer than the tool takes')
  const sim = await simulate(t, { otherwise: 'assistant', rules: [] })
  const body = JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'book a meeting '.repeat(70_000) }] })
  const sent = performance.now()
  const answer = await fetch(`${sim.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  await answer.text()
  assert.ok(performance.now() - sent < 60_000, 'more than in proportion to the length would take hours')
})

test('a question about a booking books nothing, and neither do a denial, a sign or a control character', () => {
  assert.equal(after(BOOK).name, 'calendar_create_event')
  const about = BOOK.replace('book', '')
  for (const begin of [
    'did you book',
    'should I book',
    'was there',
    'have you booked',
    'when did we book',
    'is there',
    'there is',
  ])
    assert.equal(typeof after(begin + about), 'string', begin)
  for (const said of [
    BOOK.replace(' a ', ' no '),
    BOOK.replace('a tasting session', 'neither a call nor lunch'),
    `${BOOK} for -2 hours`,
    BOOK.replace('zoe@example.com', 'zoe@example.com\u0007'),
    `${BOOK}\u0000`,
  ])
    assert.equal(typeof after(said), 'string', said)
})

test('a time or a duration that nobody can mean is not understood, nor one that would be read in part', () => {
  const review = 'schedule a design review tomorrow'
  const guest = 'with zoe@example.com'
  const parts = [
    'at 3pm until 2pm',
    'from 5pm to 3pm',
    'at 3.5pm',
    'from 3 to 4.5pm',
    'at 25pm',
    'at 3:5pm',
    'from 3pm to 3pm',
  ]
  const lengths = ['900 hours', '0 hours', '0 minutes', '25 hours', '1.5.5 hours']
  for (const part of [...parts, 'from 2pm to 3pm for 2 hours', ...lengths.map(length => `at 4pm for ${length}`)])
    for (const request of [`${review} ${part} ${guest}`, `${review} ${guest} ${part}`])
      assert.equal(typeof after(request), 'string', request)
  for (const part of ['at 3.5pm', 'from 5pm to 3pm', 'for 900 minutes', 'for 0 minutes', 'at 3pm until 2pm'])
    assert.equal(typeof after(`am I free tomorrow ${part}?`), 'string', part)
})

test('times and durations that are meant', () => {
  const times = part => {
    const { start_time: start, end_time: end } = after(
      `schedule a design review tomorrow ${part} with zoe@example.com`,
    ).args
    return [start.slice(8, 16), end.slice(8, 16)]
  }
  const rows = [
    ['from 11pm to 1am', '27T23:00', '28T01:00'],
    ['from 9 to 5', '27T09:00', '27T17:00'],
    ['between 2 and 4', '27T14:00', '27T16:00'],
    ['at 1.30pm', '27T13:30', '27T14:00'],
    ['at half past two for 1.5 hours', '27T14:30', '27T16:00'],
  ]
  for (const [part, ...expected] of rows) assert.deepEqual(times(part), expected, part)
  const exact = after('am I free from 2026-11-27T09:00:00Z to 2026-11-30T18:00:00Z?').args
  assert.deepEqual([exact.start_date, exact.end_date], ['2026-11-27T09:00:00Z', '2026-11-30T18:00:00Z'])
})
