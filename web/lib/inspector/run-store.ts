// The sessions of the store, also those of which no line is left; and who they belong to.
import { type SessionSummary, listSessions, storeFromSetting } from 'toolgate'
import { readRunLines } from './run-lines'
import { MAX_SESSIONS, type RunSession, runsOf } from './runs'

export interface Runs {
  /** The last used first. */
  sessions: RunSession[]
  /** What a reader should know of the files and the store. */
  notes: string[]
}

export async function readRuns(): Promise<Runs> {
  const [{ lines, notes }, stored] = await Promise.all([readRunLines(), storedSessions()])
  const byId = new Map(runsOf(lines).map(session => [session.sessionId, session]))
  for (const summary of stored.sessions) {
    const known = byId.get(summary.id)
    if (known) known.principal ??= summary.principal
    else byId.set(summary.id, withoutLines(summary))
  }
  const sessions = [...byId.values()].sort((one, other) => other.last - one.last)
  return { sessions, notes: [...notes, ...stored.notes] }
}

/** A store in memory can be read by its process alone, whose lines say the same. */
async function storedSessions(): Promise<{ sessions: SessionSummary[]; notes: string[] }> {
  const store = storeFromSetting(process.env.TOOLGATE_STORE || undefined)
  if (store === 'memory') return { sessions: [], notes: [] }
  try {
    return { sessions: (await listSessions(store, { limit: MAX_SESSIONS })).sessions, notes: [] }
  } catch {
    return { sessions: [], notes: ['The sessions of the store can’t be listed; these are from the audit alone.'] }
  }
}

function withoutLines({ id, principal, mode, active, usedAt }: SessionSummary): RunSession {
  const last = Date.parse(usedAt) || 0
  return {
    ...{ sessionId: id, principal, calls: [], first: last, last },
    ...{ modes: mode === null ? [] : [mode], ended: active ? null : 'it is over' },
  }
}
