// Services in the shapes of the older layer, through the shipped handlers.
import { createCalendar } from '../../tools/_services/calendar.js'
import * as availability from '../../tools/calendar_get_availability/handler.js'
import * as creation from '../../tools/calendar_create_event/handler.js'
import * as get from '../../tools/kb_get/handler.js'
import * as lookup from '../../tools/linkedin_lookup/handler.js'
import * as search from '../../tools/kb_search/handler.js'
import { toolRunner } from './support/run-tool.mjs'

const older = {
  id: 'person:ada',
  type: 'person',
  title: 'Ada Example, director',
  snippet: null,
  score: 0.9,
  sourceType: 'profile',
  lastUpdated: '2026-01-01T00:00:00Z',
  url: null,
  metadata: { name: 'Ada Example', linkedin_url: 'https://www.linkedin.com/in/ada' },
}
const { sourceType, lastUpdated, ...same } = older
const record = { ...same, source_type: sourceType, last_updated: lastUpdated }

describe.each([
  ['a list', [older]],
  ['`results`', { results: [older] }],
  ['`records`', { records: [older] }],
  ['the present shape', [record]],
])('a knowledge base that answers with %s', (_, answer) => {
  const services = { kb: { search: async () => answer, get: async () => [answer].flat()[0].results?.[0] ?? older } }

  test('is searched and read', async () => {
    const found = await toolRunner(search, 'kb_search')({ query: 'ada' }, { services })
    expect(found.data.results).toEqual([record])
    expect((await toolRunner(lookup, 'linkedin_lookup')({ person: 'Ada' }, { services })).data).toEqual({
      person_id: 'person:ada',
      name: 'Ada Example',
      url: 'https://www.linkedin.com/in/ada',
      last_updated: '2026-01-01T00:00:00Z',
    })
  })

  test('gives one record', async () => {
    expect((await toolRunner(get, 'kb_get')({ id: 'person:ada' }, { services })).data).toEqual(record)
  })
})

const range = { start_date: '2099-11-23T08:00:00Z', end_date: '2099-11-23T12:00:00Z', include_details: true }
const busy = { start: '2099-11-23T09:00:00Z', end: '2099-11-23T10:00:00Z' }
const getFreeBusy = async () => ({ calendars: { primary: { busy: [busy] } } })
const existing = { ...busy, status: 'busy', calendar: 'primary', title: 'Review', attendees: 2 }
const attendees = ['ada@example.com', 'eve@example.com']

test.each([
  ['with `summary`', [{ ...busy, calendar: 'primary', summary: 'Review', attendees }]],
  [
    'as a calendar API gives them',
    {
      items: [
        {
          calendar: 'primary',
          summary: 'Review',
          start: { dateTime: busy.start },
          end: { dateTime: busy.end },
          attendees: attendees.map(email => ({ email })),
        },
      ],
    },
  ],
  ['in the present shape', [{ ...busy, calendar: 'primary', title: 'Review', attendees }]],
])('events are listed: %s', async (_, events) => {
  const services = { calendar: { getFreeBusy, getEvents: async () => events } }
  const run = toolRunner(availability, 'calendar_get_availability')
  expect((await run(range, { services })).data.existing_events).toEqual([existing])
})

test.each([
  [
    {
      id: 'e1',
      summary: 'Review',
      start: { dateTime: busy.start },
      end: { dateTime: busy.end },
      hangoutLink: 'https://meet.example/x',
    },
  ],
  [{ id: 'e1', title: 'Review', ...busy, zoomLink: 'https://meet.example/x', attendees: ['ada@example.com'] }],
])('an event that was created is read: %j', async created => {
  const services = { calendar: { ...(await createCalendar()), createEvent: async () => created } }
  const args = { title: 'Review', start_time: busy.start, end_time: busy.end, attendees: ['ada@example.com'] }
  const { data } = await toolRunner(creation, 'calendar_create_event')(args, { services })
  expect(data).toEqual({
    event_id: 'e1',
    title: 'Review',
    ...busy,
    attendee_count: 1,
    meeting_link: 'https://meet.example/x',
  })
})
