// A user changes a handler's waiting call into an act that was done before.
import path from 'node:path'

import { booking } from '../support/booking.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const changed = async (duplicate, elsewhere) => {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const pay = { duplicate: { key: ['/to'], ...duplicate } }
  const { session, start, question, runs } = await booking({ pay }, { store }, { sessionId: 's' })
  const there = await booking({ pay }, { store })
  const page = elsewhere ? await there.open({ sessionId: 's' }) : session
  const paid = start('ada')
  await session.confirm((await question()).token)
  await paid
  const booked = start('bob')
  const { token } = await question(1)
  const answer = await page.confirm(token, { args: { to: 'ada' } })
  return { session, booked, token, page, answer, runs: () => [...runs, ...there.runs] }
}

test.each([
  ['here', false],
  ['in another process', true],
])('its answer is replayed, confirmed %s', async (_, elsewhere) => {
  const { session, booked, answer, runs } = await changed({ on: 'replay' }, elsewhere)
  expect(answer).toMatchObject({ data: { paid: 'ada' }, meta: { edited: [{ path: '' }] } })
  expect((await booked).data.data).toEqual({ paid: 'ada' })
  expect([await session.listPending(), runs()]).toEqual([[], ['ada']])
})

test.each([
  ['ask', 'here', false],
  ['ask', 'in another process', true],
  ['refuse', 'here', false],
])('duplicates: %s, confirmed %s: it is refused, and what was shown can be confirmed', async (on, _, elsewhere) => {
  const { session, booked, answer, token, page, runs } = await changed({ on }, elsewhere)
  expect(answer.error).toMatchObject({ type: 'CONFLICT', details: { reason: 'duplicate' } })
  expect((await session.listPending()).map(pending => pending.token)).toEqual([token])
  expect(await page.confirm(token)).toMatchObject({ data: { paid: 'bob' } })
  expect([(await booked).data.data, runs()]).toEqual([{ paid: 'bob' }, ['ada', 'bob']])
})
