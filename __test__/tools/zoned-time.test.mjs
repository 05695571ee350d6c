// Wall-clock times on the days on which they are skipped or come twice.
import { isTimeZone, offsetOfWallTime, startOfDay } from '../../tools/_services/zoned-time.js'

const moment = (wall, zone) => {
  const wallMs = Date.parse(`${wall}Z`)
  return new Date(wallMs - offsetOfWallTime(wallMs, zone)).toISOString()
}

test.each([
  ['2026-01-15T12:00:00', 'Europe/Berlin', '2026-01-15T11:00:00.000Z'],
  ['2026-07-15T12:00:00', 'Europe/Berlin', '2026-07-15T10:00:00.000Z'],
  // Skipped: read with the offset before the change.
  ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-03-29T01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59.000Z'],
  ['2026-03-29T03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  // Twice: the first of both.
  ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T01:59:59', 'Europe/Berlin', '2026-10-24T23:59:59.000Z'],
  ['2026-10-25T03:00:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
  ['2026-03-08T02:30:00', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ['2026-11-01T01:30:00', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ['2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
  ['2026-06-01T00:00:00', 'Asia/Kathmandu', '2026-05-31T18:15:00.000Z'],
  ['2026-06-01T00:00:00', 'UTC', '2026-06-01T00:00:00.000Z'],
])('%s in %s is %s', (wall, zone, expected) => {
  expect(moment(wall, zone)).toBe(expected)
})

test('days on which the clock changes have 23 and 25 hours', () => {
  const hours = (day, next) => (startOfDay(next, 'Europe/Berlin') - startOfDay(day, 'Europe/Berlin')) / 3_600_000
  expect([
    hours('2026-03-29', '2026-03-30'),
    hours('2026-10-25', '2026-10-26'),
    hours('2026-10-26', '2026-10-27'),
  ]).toEqual([23, 25, 24])
})

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Mars/Olympus', false],
  ['', false],
  ['W. Europe Standard Time', false],
])('%p is a time zone: %p', (name, isOne) => expect(isTimeZone(name)).toBe(isOne))
