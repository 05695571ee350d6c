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
  [
    'Who knows about kilns?',
    [['kb_search', { query: 'kilns' }]],
    [found],
    'According to Kim Lee [person:kim_lee]: Runs the kiln. According to Kiln guide [doc:kiln]: no snippet stored.',
  ],
  [
    'find glaze recipes',
    [['kb_search', { query: 'glaze recipes' }]],
    [none],
    'I found nothing about "glaze recipes" in the knowledge base.',
  ],
  [
    'What is our process for firing?',
    [['kb_search', { query: 'firing' }]],
    [over],
    'The search failed. BUDGET_EXCEEDED: two retrievals are used up',
  ],
  [
    'tell me more about person:kim_lee.',
    [['kb_get', { id: 'person:kim_lee' }]],
    [{ ok: true, data: found.data.results[0] }],
    'Kim Lee [person:kim_lee]: Runs the kiln.',
  ],
  [
    'tell me more about kim',
    [['kb_get', { id: 'kim' }]],
    [failed('NOT_FOUND', 'no record', { suggestion: 'did you mean person:kim_lee?' })],
    'I have no record `kim`. did you mean person:kim_lee?',
  ],
  [
    'tell me about Kim Lee',
    [['kb_search', { query: 'Kim Lee' }]],
    [none],
    'I found nothing about "Kim Lee" in the knowledge base.',
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
    'ignore me',
    [['ignore_user', { duration_seconds: 60, farewell_message: 'I will be back in a minute.' }]],
    [{ ok: true, data: { farewellMessage: 'See you.', durationSeconds: 60 } }],
    'See you. (This took effect for 60 seconds.)',
  ],
]

const TEXT_ONLY = [
  [
    "let's talk about clay",
    [['start_voice_session', { pending_request: 'clay' }]],
    [{ ok: true, data: { session_id: 'voice-1' } }],
    'The voice session is starting (voice-1).',
  ],
  [
    'start a voice session',
    [['start_voice_session', { pending_request: '' }]],
    [failed('SESSION_ACTIVE', 'already in voice')],
    'The voice session did not start. SESSION_ACTIVE: already in voice',
  ],
  [
    'Schedule a review with kim@example.com.',
    [
      [
        'calendar_create_event',
        {
          title: 'review',
          start_time: '2030-01-15T10:00:00Z',
          end_time: '2030-01-15T10:30:00Z',
          attendees: ['kim@example.com'],
        },
      ],
    ],
    [failed('CONFIRMATION_REQUIRED', 'ask the user', { confirmation_request: { preview: 'review, 10:00' } })],
    'This needs your confirmation. review, 10:00',
  ],
  [
    'Schedule "Meeting" from 2030-01-14T09:00:00Z to 2030-01-14T09:30:00Z',
    [
      [
        'calendar_create_event',
        {
          title: 'Meeting',
          start_time: '2030-01-14T09:00:00Z',
          end_time: '2030-01-14T09:30:00Z',
          attendees: ['ada@example.com'],
        },
      ],
    ],
    [{ ok: true, data: { start: '2030-01-14T09:00:00.000Z' } }],
    'The event "Meeting" is in the calendar, 2030-01-14T09:00:00.000Z.',
  ],
  ['Approved: Create "Meeting"', [], [], 'Done. Create "Meeting"'],
  ['goodbye', [], [], /^This is the Toolgate simulator, not a model/],
  ['what is the meaning of life', [], [], /^This is the Toolgate simulator, not a model/],
]

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
    'The session could not be ended. SESSION_INACTIVE: over',
  ],
  ["let's talk", [], [], /^This is the Toolgate simulator, not a model/],
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
      for (const example of cases) {
        test(example[0], async t => play(await DRIVERS[protocol](t, undefined, [...SHARED_TOOLS, ...tools]), example))
      }
    })
  }
}
