// `timeRules`: times in the wrong order, or in the past, are refused before the user is asked.
import { openGate } from '../support/gate.mjs'

const time = { type: 'string', format: 'date-time' }
const BOOKING = {
  kind: 'write',
  requiresConfirmation: true,
  properties: { start: time, end: time, reminder: time },
  required: ['start', 'end'],
  timeRules: { after: { end: 'start' }, notPast: ['start', 'reminder'] },
}

async function opened() {
  const runs = []
  const execute = ({ args }) => ({ ok: true, data: runs.push(args) })
  const gate = await openGate({
    book: { ...BOOKING, execute },
    peek: { ...BOOKING, kind: 'read', requiresConfirmation: false, execute },
  })
  return { ...gate, runs, session: await gate.session() }
}

const NEXT_YEAR = new Date().getFullYear() + 1
const at = (hour, offset = 'Z') => `${NEXT_YEAR}-05-04T${String(hour).padStart(2, '0')}:00:00${offset}`
const issues = ({ error }) => error.details.map(({ instancePath, keyword }) => [instancePath, keyword])

for (const [what, args, expected] of [
  ['an end before its start', { start: at(10), end: at(9) }, [['/end', 'after']]],
  ['an end at its start, in another zone', { start: at(10), end: at(12, '+02:00') }, [['/end', 'after']]],
  ['a start in the past', { start: '2020-01-01T10:00:00Z', end: at(9) }, [['/start', 'notPast']]],
  [
    'all at once',
    { start: '2020-01-01T10:00:00Z', end: '2020-01-01T09:00:00Z', reminder: '1999-12-31T23:59:59+01:00' },
    [
      ['/end', 'after'],
      ['/start', 'notPast'],
      ['/reminder', 'notPast'],
    ],
  ],
])
  test(`${what} is VALIDATION, and no question is made`, async () => {
    const { session, runs, lines } = await opened()
    const refused = await session.execute({ id: 'call_1', name: 'book', args })
    expect([refused.ok, refused.error.type, issues(refused)]).toEqual([false, 'VALIDATION', expected])
    expect(refused.error.message).toMatch(/must be later than|is in the past: it is \d{4}-\d\d-\d\dT[\d:]+Z now/)
    expect([await session.listPending(), runs]).toEqual([[], []])
    expect(lines.some(({ event }) => event === 'confirmation_requested')).toBe(false)
  })

test('times that keep the rules are asked about; an absent argument breaks none', async () => {
  const { session } = await opened()
  const asked = await session.execute({ id: 'call_1', name: 'book', args: { start: at(10), end: at(11, '+00:30') } })
  expect(asked.error.type).toBe('CONFIRMATION_REQUIRED')
})

test('without a session the rules hold too; of arguments alone, those that need no clock', async () => {
  const { registry } = await opened()
  const past = { start: '2020-01-01T10:00:00Z', end: at(9) }
  const refused = await registry.executeTool('peek', { args: past })
  expect([refused.error.type, issues(refused)]).toEqual(['VALIDATION', [['/start', 'notPast']]])
  expect(registry.getToolMetadata('peek').toolId).toBe('peek')
})
