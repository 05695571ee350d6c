// The assistant of the shipped scenario: conversations of several turns, times on the user's clock, free times, notes of
// a server.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { assistantStep } from '../src/assistant/index.js'
import { readMoments } from '../src/assistant/moments.js'

const ZONES = {
  berlin: ['2026-11-26T09:00:00+01:00', 'Europe/Berlin'],
  denver: ['2026-11-26T01:00:00-07:00', 'America/Denver'],
}
const tool = name => {
  const file = new URL(`../../tools/${name}/schema.json`, import.meta.url)
  return { name, parameters: JSON.parse(readFileSync(file, 'utf8')).parameters }
}
const ALL = ['calendar_create_event', 'calendar_get_availability', 'kb_search', 'create_chart', 'validate_email'].map(
  tool,
)

/** What the assistant does: its words or its call. */
function after(utterances, { rounds = [], before, zone = 'berlin', declared = ALL, spoken = false } = {}) {
  const [now, timeZone] = ZONES[zone]
  const instructions = `You are kind.\n\nFor the user it is now ${now} in the time zone ${timeZone}.`
  const { emit } = assistantStep({ declared, instructions, spoken, utterances: [utterances].flat(), rounds, before })
  return emit[0].say?.text ?? emit[0].call
}

const ok = data => ({ ok: true, data })
const round = (name, result) => ({ tools: [name], results: [result] })

test('a time is read on the clock of the user, also over the change to summer time', () => {
  const at = (zone, text) => {
    const [now, timeZone] = ZONES[zone]
    return readMoments(text, { now: new Date(now), timeZone })
  }
  assert.equal(at('berlin', 'on 5 July at 10am').start, '2027-07-05T10:00:00+02:00')
  assert.equal(at('denver', 'tomorrow at noon').start, '2026-11-27T12:00:00-07:00')
  assert.equal(at('berlin', 'at 4').start, '2026-11-26T16:00:00+01:00')
  assert.equal(at('berlin', 'from 11 to 1 on Friday').end, '2026-11-27T13:00:00+01:00')
  assert.deepEqual(at('denver', 'this week').range, {
    start: '2026-11-26T09:00:00-07:00',
    end: '2026-11-27T18:00:00-07:00',
  })
  assert.equal(at('berlin', 'for two hours').seconds, 7200)
  assert.equal(at('berlin', 'in two hours').seconds, null)
})

test("the lights of the demo's source are set to what was said, and to nothing else", () => {
  const lock = JSON.parse(readFileSync(new URL('../../demo/toolgate.lock.json', import.meta.url), 'utf8'))
  const declared = Object.values(lock.sources.lights.tools).map(({ toolId, definition }) => ({
    name: toolId,
    parameters: definition.inputSchema,
  }))
  const set = (room, brightness) => ({ name: 'lights_set', args: { room, brightness }, literal: true })
  for (const [said, expected] of [
    ['which lights are on?', { name: 'lights_list', args: {}, literal: true }],
    ['dim the lights in the kitchen to 40 percent', set('kitchen', 40)],
    ['Set the kitchen light to 40%', set('kitchen', 40)],
    ['turn off the lights in the workshop', set('workshop', 0)],
    ['please switch the studio lights on', set('studio', 100)],
    ['turn off the lights', 'Which room do you mean?'],
    [['turn off the lights', 'in the workshop'], set('workshop', 0)],
  ])
    assert.deepEqual([said, after(said, { declared })], [said, expected])
  for (const said of [
    "don't turn off the lights in the kitchen",
    'turn the lights in the studio and the kitchen off',
    'dim the kitchen lights to 40 and turn off the oven',
  ])
    assert.match(String(after(said, { declared })), /Try/, said)
})

test('what was asked back is joined with its answer', () => {
  const asked = after('set up a retro tomorrow at 10')
  assert.match(asked, /e-mail address/)
  const { name, args } = after(['set up a retro tomorrow at 10', 'zoe@example.com'])
  assert.equal(name, 'calendar_create_event')
  assert.deepEqual(
    [args.title, args.attendees, args.start_time],
    ['retro', ['zoe@example.com'], '2026-11-27T10:00:00+01:00'],
  )
  assert.equal(after('plan a walk with Zoe at 5pm'), "What is Zoe's e-mail address?")
  // A request of its own is no answer.
  assert.equal(after(['set up a retro tomorrow at 10', 'who knows about Rust?']).name, 'kb_search')
  const numbers = after(['draw a chart', 'tea 3, coffee 9'])
  assert.deepEqual(numbers.args.data, [
    { label: 'tea', value: 3 },
    { label: 'coffee', value: 9 },
  ])
})

test('without a time the calendar is asked, and the first free time in working hours is taken', () => {
  const words = 'schedule a tasting with zoe@example.com'
  const lookUp = after(words)
  assert.equal(lookUp.name, 'calendar_get_availability')
  assert.ok(Date.parse(lookUp.args.start_date) > Date.parse('2026-11-26T08:00:00Z'))
  const free = [
    { start: '2026-11-26T20:00:00+01:00', end: '2026-11-27T09:10:00+01:00' },
    { start: '2026-11-27T13:50:00+01:00', end: '2026-11-27T15:00:00+01:00' },
  ]
  const call = after(words, { rounds: [round('calendar_get_availability', ok({ available_slots: free }))] })
  assert.deepEqual(
    [call.args.start_time, call.args.end_time],
    ['2026-11-27T14:00:00+01:00', '2026-11-27T14:30:00+01:00'],
  )
  assert.match(
    after(words, { rounds: [round('calendar_get_availability', ok({ available_slots: [] }))] }),
    /^No time is free/,
  )
})

test('free times are told in working hours, with the year where it is another one', () => {
  const slots = [{ start: '2026-12-31T20:00:00Z', end: '2027-01-04T09:30:00Z' }]
  const rounds = [round('calendar_get_availability', ok({ available_slots: slots, existing_events: [] }))]
  assert.equal(
    after('am I free over new year?', { rounds }),
    'You have no event there. You are free Friday, 1 January 2027, 09:00–18:00; Monday, 4 January 2027, 09:00–10:30.',
  )
})

test('results are sentences: no ids in speech, no JSON, no error codes', () => {
  const record = { id: 'doc:tea', title: 'Tea guide', snippet: 'Steep for {{user}} minutes.' }
  const rounds = [round('kb_search', ok({ results: [record] }))]
  assert.equal(after('find tea', { rounds }), 'According to Tea guide [doc:tea]: Steep for {{user}} minutes.')
  assert.equal(after('find tea', { rounds, spoken: true }), 'According to Tea guide: Steep for {{user}} minutes.')
  const refused = { ok: false, error: { type: 'VALIDATION', message: '/query: must not be `x`' } }
  assert.equal(after('find tea', { rounds: [round('kb_search', refused)] }), 'That did not work: must not be "x".')
  const taken = {
    ok: false,
    error: {
      type: 'CONFLICT',
      details: { free_slots: [{ start: '2026-11-27T09:00:00Z', end: '2026-11-27T09:30:00Z' }] },
    },
  }
  const words = 'meet zoe@example.com tomorrow at 9am'
  assert.equal(
    after(words, { rounds: [round('calendar_create_event', taken)] }),
    'That time is taken. Free near it: Friday, 27 November, 10:00–10:30.',
  )
  assert.equal(after(words, { rounds: [round('custom_tool', ok({ a: [{ b: 1 }] }))] }), 'That is done.')
  const valid = ok({ email: 'a@b.example', valid: true, reason: null })
  assert.match(after('is a@b.example valid?', { rounds: [round('validate_email', valid)] }), /did not look up/)
})

test('after an approval the outcome is told, in place of what was asked', () => {
  const event = { title: 'Tasting', start: '2026-11-27T13:00:00Z', end: '2026-11-27T13:30:00Z' }
  const before = round('calendar_create_event', ok(event))
  assert.equal(
    after('Approved: Create "Tasting"', { before }),
    '"Tasting" is in the calendar: Friday, 27 November, 14:00–14:30.',
  )
  const failed = { ok: false, error: { type: 'TRANSIENT', message: 'busy' } }
  assert.match(
    after('Approved, but it failed: Create', { before: round('calendar_create_event', failed) }),
    /^That did not work just now/,
  )
})

test('help names only what works here', () => {
  const said = after('help', { declared: [tool('validate_email')] })
  assert.match(said, /Try:\n- "is ada@example\.com valid\?"$/)
  assert.match(after('make a chart of 1, 2', { declared: [], spoken: true }), /The text chat can/)
})

test('what no tool can do is said, and what is missing is asked for', () => {
  assert.match(after('move my interview to Friday'), /can't change or cancel events/)
  assert.equal(after('schedule lunch tomorrow'), 'Whom shall I invite? I need their e-mail address.')
  assert.match(after('reserve a boat'), /^I can't book a boat/)
  assert.equal(after('bar chart of our paddles: old 3, new 4').args.title, 'Paddles')
  assert.match(after('is it valid?'), /^I did not understand/)
})

test('records that are far from the best one are not told', () => {
  const record = (title, score) => ({ id: `doc:${title}`, title, score, snippet: 'x.' })
  const rounds = [round('kb_search', ok({ results: [record('one', 0.9), record('two', 0.7), record('three', 0.2)] }))]
  assert.equal(after('find boats', { rounds }), 'According to one [doc:one]: x. According to two [doc:two]: x.')
})

test('in a strict declaration what may be null can be left out, and is then null', () => {
  const name = 'kb_search'
  const properties = {
    query: { type: 'string' },
    namespace: { type: ['string', 'null'], enum: ['studio', 'public', null] },
    top_k: { type: ['integer', 'null'] },
    filters: { anyOf: [{ type: 'object' }, { type: 'null' }] },
  }
  const declared = [{ name, parameters: { type: 'object', properties, required: Object.keys(properties) } }]
  assert.deepEqual(after('summarize our vacation policies, null, 2', { declared }).args, {
    query: 'vacation policies, null, 2',
    namespace: null,
    top_k: null,
    filters: null,
  })
})
