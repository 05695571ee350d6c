// `timeZone` of an attachment: what a user is asked about is shown in the user's time zone.
import { openGate } from '../support/gate.mjs'

const TOOLS = {
  book: {
    kind: 'write',
    requiresConfirmation: true,
    properties: { start: { type: 'string', format: 'date-time' } },
    confirmation: { preview: 'Book {start:local}' },
  },
}

const previewIn = async options => {
  const { session } = await openGate(TOOLS)
  const attached = await session(options)
  const { error } = await attached.execute({ id: 'call_1', name: 'book', args: { start: '2030-05-06T10:00:00+02:00' } })
  return error.confirmation_request.preview
}

for (const [timeZone, shown] of [
  ['Europe/Berlin', 'Book Mon 6 May 2030, 10:00 (Europe/Berlin)'],
  ['America/Los_Angeles', 'Book Mon 6 May 2030, 01:00 (America/Los_Angeles)'],
  ['UTC', 'Book Mon 6 May 2030, 08:00 (UTC)'],
  [undefined, 'Book Mon 6 May 2030, 10:00 (UTC+02:00)'],
  [null, 'Book Mon 6 May 2030, 10:00 (UTC+02:00)'],
  ['Mars/Olympus', 'Book Mon 6 May 2030, 10:00 (UTC+02:00)'],
  ['../../etc/passwd', 'Book Mon 6 May 2030, 10:00 (UTC+02:00)'],
  ['x'.repeat(100_000), 'Book Mon 6 May 2030, 10:00 (UTC+02:00)'],
])
  test(`in \`${String(timeZone).slice(0, 20)}\``, async () => expect(await previewIn({ timeZone })).toBe(shown))

test('another type than a text is refused', async () => {
  await expect(previewIn({ timeZone: 60 })).rejects.toThrow(TypeError)
})
