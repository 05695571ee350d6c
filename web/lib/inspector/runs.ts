// Reads lines into runs: a session has turns, a turn has calls, and a call has the lines that say what became of it.
import type { JsonValue } from 'toolgate'
import type { RunLine } from './run-lines'

export interface RunSession {
  sessionId: string
  /** Epoch milliseconds of its first and its last line. */
  first: number
  last: number
  modes: string[]
  /** As the host gives it; null if none is known. */
  principal: string | null
  calls: RunCall[]
  /** Why it ended; null if no line says that it did. */
  ended: string | null
}

export interface RunCall {
  /** Null for a call of a handler. */
  callId: string | null
  parentCallId: string | null
  toolId: string
  mode: string
  turn: number
  lines: RunLine[]
}

export interface RunAnswer {
  data?: JsonValue
  error?: { type: string; message: string; partialSideEffects?: true; preview?: string }
  /** The beginning of one that was too long to be kept. */
  cut?: string
}

/** @param lines the oldest first; @returns the newest first */
export function runsOf(lines: readonly RunLine[]): RunSession[] {
  const sessions = new Map<string, RunSession>()
  const named = new Map<string, RunCall>()
  for (const line of lines) {
    const session = sessions.get(line.sessionId) ?? begun(line)
    sessions.set(line.sessionId, session)
    session.last = line.time
    const mode = textOf(line.mode)
    if (mode !== '' && !session.modes.includes(mode)) session.modes.push(mode)
    session.principal = textOf(line.principal) || session.principal
    if (line.event === 'session_ended') session.ended = textOf(line.reason)
    if (textOf(line.toolId) !== '' && line.toolId !== 'host') callOf(session, named, line)?.lines.push(line)
  }
  return [...sessions.values()].sort((one, other) => other.last - one.last)
}

const begun = ({ sessionId, time }: RunLine): RunSession => ({
  sessionId,
  first: time,
  last: time,
  modes: [],
  principal: null,
  calls: [],
  ended: null,
})

/** Calls among which the one of a line without an id is looked for. */
const RECENT = 100

/** The call that a line is about. Null: it is about a tool, and no call of it is known. */
function callOf({ sessionId, calls }: RunSession, named: Map<string, RunCall>, line: RunLine): RunCall | null {
  const [callId, toolId, parentCallId] = [textOf(line.callId), textOf(line.toolId), textOf(line.parentCallId)]
  const name = JSON.stringify([sessionId, callId])
  const known =
    callId !== ''
      ? named.get(name)
      : // A call of a handler has no id, and one line of each event.
        calls.slice(-RECENT).findLast(call => call.toolId === toolId && isOpenTo(call, line, parentCallId))
  if (known) return known
  if (callId === '' && parentCallId === '' && line.event !== 'call' && line.event !== 'tool_execution') return null
  const call = {
    callId: callId || null,
    parentCallId: parentCallId || null,
    toolId,
    mode: textOf(line.mode),
    turn: typeof line.turn === 'number' ? line.turn : 0,
    lines: [],
  }
  calls.push(call)
  if (callId !== '') named.set(name, call)
  return call
}

function isOpenTo(call: RunCall, { event }: RunLine, parentCallId: string): boolean {
  if (event === 'confirmation_expired') return has(call, 'confirmation_requested') && !has(call, 'tool_execution')
  return call.callId === null && (call.parentCallId ?? '') === parentCallId && !has(call, event)
}

export const has = (call: RunCall, event: string): boolean => call.lines.some(line => line.event === event)

/** The last line of an event. */
export const lastOf = (call: RunCall, ...events: string[]): RunLine | undefined =>
  call.lines.findLast(line => events.includes(line.event))

/** A member that is a text; empty if it is none. */
export const textOf = (member: unknown): string => (typeof member === 'string' ? member : '')
export const numberOf = (member: unknown): number =>
  typeof member === 'number' && Number.isFinite(member) ? member : 0

/** The answer to a call, as it was kept last; null if it was not. */
export function answerOf(call: RunCall): RunAnswer | null {
  const kept = call.lines.findLast(line => line.event === 'call' && line.answer !== null && line.outcome !== 'replayed')
  return typeof kept?.answer === 'object' ? (kept.answer as RunAnswer) : null
}

export function argsOf(call: RunCall): JsonValue | null {
  return (call.lines.find(line => line.event === 'call' && line.args !== null)?.args as JsonValue) ?? null
}

/** The longest text that is sought. */
const MAX_SEARCH = 200
export const MAX_SESSIONS = 100

export interface FoundSession extends RunSession {
  /** Its calls that fit the search; none without a search. */
  found: RunCall[]
}

/** The newest sessions that fit: by the id of a call or of the session, the tool, or the principal. */
export function search(sessions: readonly RunSession[], asked: string): FoundSession[] {
  const sought = asked.slice(0, MAX_SEARCH).trim().toLowerCase()
  const fits = (text: string | null) => text !== null && text.toLowerCase().includes(sought)
  return sessions
    .map(session => ({
      ...session,
      found: sought === '' ? [] : session.calls.filter(({ callId, toolId }) => fits(callId) || fits(toolId)),
    }))
    .filter(
      ({ sessionId, principal, found }) => sought === '' || found.length > 0 || fits(sessionId) || fits(principal),
    )
}

/** The sessions with a call of this very id. */
export const sessionsOfCall = (sessions: readonly RunSession[], callId: string): RunSession[] =>
  sessions.filter(({ calls }) => calls.some(call => call.callId === callId))

/**
 * The call whose deed a duplicate would have repeated: the nearest one of the tool at the time that the line names.
 */
export function earlierCall(
  sessions: readonly RunSession[],
  call: RunCall,
): { session: RunSession; call: RunCall } | null {
  const line = lastOf(call, 'duplicate_found')
  if (!line) return null
  const begunAt = line.time - numberOf(line.ageMs)
  const distance = ({ lines }: RunCall) => Math.abs((lines[0]?.time ?? 0) - begunAt)
  const candidates = sessions.flatMap(session =>
    session.calls
      .filter(other => other !== call && other.toolId === call.toolId && has(other, 'tool_execution'))
      .map(other => ({ session, call: other })),
  )
  return candidates.sort((one, other) => distance(one.call) - distance(other.call))[0] ?? null
}
