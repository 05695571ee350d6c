// A fresh process that makes many sessions, or many records, and says what one takes. Started by memory.mjs: `node --expose-gc
// memory-child.mjs <detach|end|records> <quick|full>`.
import { setTimeout as wait } from 'node:timers/promises'

import { noteCall, policy, succeed, withNotes } from './gate.mjs'

const [what, extent] = process.argv.slice(2)
const SESSIONS = extent === 'quick' ? 2000 : 20_000
const RECORDS = extent === 'quick' ? 10_000 : 100_000
const RECORDS_PER_SESSION = 1000
/** Warm-up sessions: JIT compilation and allocator growth are not counted. */
const WARM = 500

/** What stays once the collector and the allocator have done their work. */
async function residentBytes() {
  for (let time = 0; time < 4; time++) {
    globalThis.gc()
    await wait(300)
  }
  return process.memoryUsage.rss()
}

async function openMany(registry, count, name, options = {}) {
  const sessions = []
  for (let n = 0; n < count; n++)
    sessions.push(await registry.createSession({ sessionId: `${name}-${n}`, mode: 'text', ...options }))
  return sessions
}

/**
 * The bytes of an idle session, the share of them that is given back, and what as many new sessions then take beyond what the first
 * had taken: an allocator keeps room that is free.
 *
 * @param {'detach' | 'end'} leave
 */
async function measureSessions(registry, leave) {
  for (const session of await openMany(registry, WARM, 'warm')) await session.end()
  const before = await residentBytes()
  let sessions = await openMany(registry, SESSIONS, 'idle')
  const held = await residentBytes()
  for (const session of sessions) await session[leave]()
  sessions = []
  const after = await residentBytes()
  const more = await openMany(registry, SESSIONS, 'more')
  const again = await residentBytes()
  for (const session of more) await session.end()
  const taken = held - before
  return { bytes: taken / SESSIONS, givenBack: (held - after) / taken, takenAgain: Math.max(0, again - held) / taken }
}

/** The bytes of a record of a small write. */
async function measureRecords(registry) {
  const fill = async session => {
    for (let n = 0; n < RECORDS_PER_SESSION; n++) await succeed(session, noteCall(n))
  }
  const warm = await openMany(registry, 5, 'warm', { policy })
  for (const session of warm) {
    await fill(session)
    await session.end()
  }
  const sessions = await openMany(registry, RECORDS / RECORDS_PER_SESSION, 'filled', { policy })
  const before = await residentBytes()
  for (const session of sessions) await fill(session)
  const bytes = ((await residentBytes()) - before) / RECORDS
  for (const session of sessions) await session.end()
  return { bytes }
}

const measured = await withNotes({ maxSessions: 1e6 }, registry =>
  what === 'records' ? measureRecords(registry) : measureSessions(registry, what === 'end' ? 'end' : 'detach'),
)
console.log(JSON.stringify(measured))
