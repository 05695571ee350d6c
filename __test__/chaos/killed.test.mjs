// A process that pays is killed in the middle of anything, again and again. What it says must be what it did.
import { setTimeout as sleep } from 'node:timers/promises'

import { Stage, rounds } from './stage.mjs'

const ROUNDS = rounds(300, 12)
const LEASE_MS = 400
const CALLS = 90

test(`killed ${ROUNDS} times: nothing happens twice, nothing committed is missing, what was interrupted is unknown`, async () => {
  const stage = await Stage.open()
  const store = { file: stage.file('sessions.sqlite'), leaseMs: LEASE_MS }
  const seen = { committed: 0, unknown: 0, recovered: 0, neverStarted: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const sessionId = `round-${round}`
    const ids = Array.from({ length: CALLS }, (_, n) => `call_${round}_${String(n).padStart(4, '0')}`)
    const first = stage.start({ store, sessionId, ids })
    await first.ready
    await sleep(Math.random() * 250)
    first.child.kill('SIGKILL')
    await first.ended
    const told = new Map(first.answers.map(answer => [answer.id, answer]))
    const before = stage.paid()
    // What was answered, and a few that were not: the first of those is the one that the kill interrupted.
    const asked = ids.slice(0, told.size + 3)
    const second = stage.start({ store, sessionId, ids: asked })
    const { code } = await second.ended
    expect([code, second.stderr]).toEqual([0, ''])
    const after = stage.paid()
    for (const answer of second.answers) judge({ answer, told: told.get(answer.id), before, after, seen })
    expect(second.answers.map(({ id }) => id)).toEqual(asked)
  }
  console.log(`killed ${ROUNDS} times: ${JSON.stringify(seen)}`)
  expect(seen.committed).toBeGreaterThan(0)
}, 900_000)

function judge({ answer, told, before, after, seen }) {
  const { id } = answer
  const [was, is] = [before.get(id) ?? 0, after.get(id) ?? 0]
  const facts = JSON.stringify({ answer, told, was, is })
  const fail = what => {
    throw new Error(`${what}: ${facts}`)
  }
  if (is > 1) fail('it took effect twice')
  if (told?.ok) {
    // It was reported as committed: its effect is there, and so is its record.
    if (was !== 1) fail('it was reported, and has no effect')
    if (!answer.ok || !answer.replayed || answer.data.by !== told.data.by) fail('its record is missing')
    seen.committed += 1
  } else if (answer.ok && answer.replayed) {
    if (was !== 1) fail('it is recorded, and has no effect')
    seen.recovered += 1
  } else if (answer.ok) {
    if (was !== 0 || is !== 1) fail('it ran again')
    seen.neverStarted += 1
  } else if (answer.error === 'CONFLICT' && answer.outcome === 'unknown') {
    if (is !== was) fail('it is unknown, and ran again')
    seen.unknown += 1
  } else {
    fail('an answer that nobody expects')
  }
}
