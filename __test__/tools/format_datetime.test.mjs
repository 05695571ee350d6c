import * as handler from '../../tools/format_datetime/handler.js'
import { INJECTION, takes, toolRunner } from './support/run-tool.mjs'

const format = toolRunner(handler, 'format_datetime')
const value = '2026-11-23T09:00:00+01:00'
/** ICU separates the time from AM and PM by a narrow no-break space in some versions. */
const plain = text => text.replaceAll(/[\u202f\u00a0]/g, ' ')
const formatted = async args => plain((await format(args)).data.formatted)

test('with all that is left out', async () => {
  const { data } = await format({ value })
  expect({ ...data, formatted: plain(data.formatted) }).toEqual({
    value,
    formatted: 'November 23, 2026 at 8:00 AM',
    time_zone: 'UTC',
    locale: 'en',
    style: 'long',
    utc_offset: '+00:00',
  })
})

test.each([
  ['en-US', 'full', 'Monday, November 23, 2026 at 3:00:00 AM Eastern Standard Time'],
  ['en-US', 'long', 'November 23, 2026 at 3:00 AM'],
  ['en-US', 'medium', 'Nov 23, 2026, 3:00 AM'],
  ['en-US', 'short', '11/23/26, 3:00 AM'],
  ['de', 'date', '23. November 2026'],
  ['en-GB', 'time', '03:00'],
  ['ja', 'date', '2026年11月23日'],
  ['ar-EG', 'date', '٢٣ نوفمبر ٢٠٢٦'],
])('%s in style %s', async (locale, style, text) => {
  expect(await formatted({ value, time_zone: 'America/New_York', locale, style })).toBe(text)
})

test.each([
  ['2026-03-29T00:59:59Z', 'Europe/Berlin', '+01:00', '01:59'],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', '+02:00', '03:00'],
  ['2026-10-25T00:30:00Z', 'Europe/Berlin', '+02:00', '02:30'],
  ['2026-10-25T01:30:00Z', 'Europe/Berlin', '+01:00', '02:30'],
  ['2026-01-01T00:00:00Z', 'Asia/Kathmandu', '+05:45', '05:45'],
  ['2026-01-01T00:00:00Z', 'Pacific/Kiritimati', '+14:00', '14:00'],
  ['2026-01-01T00:00:00Z', 'Pacific/Marquesas', '-09:30', '14:30'],
  ['1850-01-01T00:00:00Z', 'Europe/Berlin', '+00:53:28', '00:53'],
  ['2026-11-23t09:00:00.123456789z', 'UTC', '+00:00', '09:00'],
])('%s in %s is at %s', async (moment, time_zone, offset, time) => {
  const { data } = await format({ value: moment, time_zone, locale: 'en-GB', style: 'time' })
  expect([data.utc_offset, data.formatted]).toEqual([offset, time])
})

test('the last moment of the format, in a zone that is ahead', async () => {
  const last = { value: '9999-12-31T23:59:59Z', time_zone: 'Pacific/Kiritimati', style: 'date' }
  expect(await formatted(last)).toBe('January 1, 10000')
})

test('a language without data is English, whatever the machine speaks', async () => {
  const { data } = await format({ value, locale: 'tlh', style: 'date' })
  expect([data.locale, data.formatted]).toEqual(['en', 'November 23, 2026'])
})

const refused = (instancePath, message) => ({
  ok: false,
  error: {
    type: 'VALIDATION',
    message,
    retryable: false,
    details: [{ instancePath, schemaPath: '', keyword: 'intl', params: {}, message }],
  },
})

test.each([
  [{ value: '2026-06-30T23:59:60Z' }, '/value', '`2026-06-30T23:59:60Z` is not a point in time that can be formatted'],
  [{ value: '0000-01-01T00:00:00Z' }, '/value', '`0000-01-01T00:00:00Z` is not a point in time that can be formatted'],
  [
    { value, locale: 'english please' },
    '/locale',
    '`english please` is not a BCP 47 language tag; use one such as en-GB',
  ],
  [
    { value, time_zone: 'Mars/Olympus' },
    '/time_zone',
    '`Mars/Olympus` is not a time zone; use an IANA name such as Europe/Berlin',
  ],
  [
    { value, time_zone: '../../etc/passwd' },
    '/time_zone',
    '`../../etc/passwd` is not a time zone; use an IANA name such as Europe/Berlin',
  ],
])('%j is refused', async (args, instancePath, message) => {
  expect(await format(args)).toEqual(refused(instancePath, message))
})

test('what the schema keeps out', () => {
  const bad = [
    {},
    { value: '' },
    { value: 'tomorrow' },
    { value: '2026-11-23' },
    { value: '2026-02-30T00:00:00Z' },
    { value: '٢٠٢٦-11-23T09:00:00Z' },
    { value: INJECTION },
    { value, style: 'epic' },
    { value, time_zone: 'x'.repeat(65) },
    { value, locale: 'e' },
  ]
  for (const args of bad) expect([args, takes('format_datetime', args)]).toEqual([args, false])
})
