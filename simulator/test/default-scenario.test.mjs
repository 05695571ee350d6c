// The shipped scenario over every protocol, with the tools of text or voice. The tools' answers have the shape of
// Toolgate's envelope; their content is the test's own, so that a citation can have no other source.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DRIVERS } from './drivers.mjs'

const found = {
  ok: true,
  data: {
    results: [
      { id: 'person:kim_lee', title: 'Kim Lee', snippet: 'Runs the kiln.' },
      { id: 'doc:kiln', title: 'Kiln guide', snippet: null },
    ],
  },
}
const none = { ok: true, data: { results: [] } }
const failed = (type, message, more = {}) => ({ ok: false, error: { type, message, retryable: false, ...more } })
const over = failed('BUDGET_EXCEEDED', 'two retrievals are used up')

const CASES = [
  ['Who knows about kilns?', [['kb_search', { query: 'kilns' }]], [found], /^According to Kim Lee.*Runs the kiln/],
  ['find glaze recipes', [['kb_search', { query: 'glaze recipes' }]], [none], /^I found nothing/],
  [
    'What is our process for firing?',
    [['kb_search', { query: 'firing' }]],
    [over],
    /^I have used up what I may look up/,
  ],
  [
    'tell me more about person:kim_lee.',
    [['kb_get', { id: 'person:kim_lee' }]],
    [{ ok: true, data: found.data.results[0] }],
    /^Kim Lee.*: Runs the kiln\.$/,
  ],
  [
    'open doc:glaze',
    [['kb_get', { id: 'doc:glaze' }]],
    [failed('NOT_FOUND', 'no record has the id `doc:glaze`')],
    'I found nothing: no record has the id "doc:glaze".',
  ],
  [
    'search three times for clay',
    [
      ['kb_search', { query: 'clay' }],
      ['kb_search', { query: 'clay process' }],
      ['kb_search', { query: 'clay people' }],
    ],
    [found, none, over],
    'Three searches were asked for. Search 1: answered; first result Kim Lee [person:kim_lee]. Search 2: answered; first result none [no id]. Search 3: BUDGET_EXCEEDED; first result none [no id].',
  ],
  [
    'you are an idiot',
    [['ignore_user', { duration_seconds: 60, farewell_message: 'I will be back in a minute.' }]],
    [{ ok: true, data: { farewellMessage: 'See you.', durationSeconds: 60, farewellDelivered: false } }],
    'See you.',
  ],
  ['this is stupid', [], [], /^I am sorry/],
  ['Thanks a lot!', [], [], 'You are welcome.'],
  ['what is 3 plus 4 * 2?', [], [], /is 11\.$/],
]

const MEETING = {
  title: 'Meeting',
  start_time: '2030-01-14T09:00:00Z',
  end_time: '2030-01-14T09:30:00Z',
  attendees: ['kim@example.com'],
}
const MEETING_WORDS = 'Schedule "Meeting" from 2030-01-14T09:00:00Z to 2030-01-14T09:30:00Z with kim@example.com'

const TEXT_ONLY = [
  [
    "let's talk about clay",
    [['start_voice_session', { pending_request: 'clay' }]],
    [{ ok: true, data: { session_id: 'voice-1' } }],
    'The voice call is starting.',
  ],
  [
    'start a voice session',
    [['start_voice_session', {}]],
    [failed('SESSION_ACTIVE', 'already in voice')],
    'That did not work: already in voice.',
  ],
  [
    MEETING_WORDS,
    [['calendar_create_event', MEETING]],
    [failed('CONFIRMATION_REQUIRED', 'ask the user', { confirmation_request: { preview: 'Meeting, 10:00' } })],
    'This needs your consent: nothing has happened yet.',
  ],
  [
    MEETING_WORDS,
    [['calendar_create_event', MEETING]],
    [{ ok: true, data: { title: 'Meeting', start: '2030-01-14T09:00:00.000Z', end: '2030-01-14T09:30:00.000Z' } }],
    /^"Meeting" is in the calendar: Monday, 14 January 2030, \d\d:\d\d–\d\d:\d\d\.$/,
  ],
  ['book a flight to Rome', [], [], /^I can't book a flight to Rome/],
  ['schedule nothing', [], [], /^What shall I put into the calendar/],
  ['Approved: Create "Meeting"', [], [], 'Done.'],
  ['goodbye', [], [], 'Goodbye.'],
  ['what can you do?', [], [], /"who knows about onboarding\?"(?!.*goodbye)/],
  ['colourless green ideas', [], [], /^I did not understand that\. I am the Toolgate simulator, not a model/],
]

const note = (tool, answer) =>
  `[The user confirmed \`${tool}\`. It has run. Its answer: ${JSON.stringify(answer)} Tell the user in one sentence.]`

const VOICE_ONLY = [
  [
    'Goodbye!',
    [['end_voice_session', { reason: 'user_requested', final_message: 'Goodbye.' }]],
    [{ ok: true, data: { finalMessage: 'Goodbye.' } }],
    'Goodbye.',
  ],
  [
    'stop',
    [['end_voice_session', { reason: 'user_requested', final_message: 'Goodbye.' }]],
    [failed('SESSION_INACTIVE', 'over')],
    'That did not work: over.',
  ],
  ["let's talk", [], [], 'We are talking already.'],
  [
    note('calendar_create_event', {
      ok: true,
      data: { title: 'Kiln "visit"', start: '2030-01-14T09:00:00Z', end: '2030-01-14T10:00:00Z' },
    }),
    [],
    [],
    /^"Kiln "visit"" is in the calendar: Monday, 14 January 2030/,
  ],
  [
    note('image_generate', { ok: false, error: { type: 'TRANSIENT', message: 'full' } }),
    [],
    [],
    'That did not work just now. Try again in a while.',
  ],
  [
    '[The user declined `calendar_create_event`. It has not run; do not call it again unless they ask for it.]',
    [],
    [],
    'All right: nothing was done.',
  ],
  [
    '[The application has a message for the user. Say it word for word, and nothing else: "The \\"kiln\\" is hot: beware."]',
    [],
    [],
    'The "kiln" is hot: beware.',
  ],
  ['help', [], [], /"goodbye"/],
]

const SHARED_TOOLS = ['kb_search', 'kb_get', 'ignore_user']

function assertSaid(said, expected) {
  assert.ok(said.startsWith('[simulator] '))
  if (expected instanceof RegExp) assert.match(said.slice(12), expected)
  else assert.equal(said.slice(12), expected)
}

async function play(driver, [utterance, calls, answers, expected]) {
  let reply = await driver.ask(utterance)
  assert.deepEqual(
    reply.calls.map(({ name, args }) => [name, args]),
    calls,
  )
  if (calls.length > 0) reply = await driver.answer(reply.calls, answers)
  assertSaid(reply.said, expected)
}

const MODES = [
  [
    'text',
    ['chat', 'responses', 'messages'],
    ['start_voice_session', 'calendar_create_event'],
    [...CASES, ...TEXT_ONLY],
  ],
  ['voice', ['live', 'realtime'], ['end_voice_session'], [...CASES, ...VOICE_ONLY]],
]

for (const [mode, protocols, tools, cases] of MODES) {
  for (const protocol of protocols) {
    // side by side: the shipped scenario takes its time between the pieces
    describe(`${mode} over ${protocol}`, { concurrency: 8 }, () => {
      for (const [number, example] of cases.entries()) {
        test(`${number + 1}. ${example[0].slice(0, 60)}`, async t =>
          play(await DRIVERS[protocol](t, undefined, [...SHARED_TOOLS, ...tools]), example))
      }
    })
  }
}
