// What a voice call has brought so far, as the page shows it: a plain function of what was known and what came.
import type { ConfirmationRequest } from 'toolgate'
import type { ClosedBy, ServerFrame, ToolResultFrame, TranscriptFrame } from './frames'

interface Placed {
  key: string
  /** How many messages of the text chat were there when it came: it belongs behind them. */
  after: number
  session: number
  turn: number
}

export interface Speech extends Placed {
  kind: 'speech'
  speaker: 'user' | 'assistant'
  via: 'voice' | 'typed'
  text: string
  final: boolean
  interrupted: boolean
}

export interface VoiceTool extends Placed {
  kind: 'tool'
  name: string
  title: string
  result: ToolResultFrame | null
  /** It takes long: told once; for how long it usually does, where that is known. */
  filler: { expectedMs: number | null } | null
  /** Its question was denied or has expired. */
  isDropped: boolean
}

export type CardState =
  | { phase: 'asking' }
  | { phase: 'sending'; decision: 'approve' | 'deny' }
  /** The connection was lost; whether it still waits is told after the next start. */
  | { phase: 'checking' }
  | {
      phase: 'closed'
      outcome: 'confirmed' | 'denied' | 'expired' | 'unheard'
      by?: ClosedBy
      result: ToolResultFrame | null
    }

export interface VoiceCard extends Placed {
  kind: 'card'
  request: ConfirmationRequest & { token: string }
  title?: string
  readBack?: string
  /** The key of the call that asked; `null` where this page did not see it ask. */
  callKey: string | null
  state: CardState
}

/** Something that happened to the call itself. */
export interface VoiceNote extends Placed {
  kind: 'note'
  tone: 'neutral' | 'ask' | 'stop'
  text: string
}

export type VoiceEntry = Speech | VoiceTool | VoiceCard | VoiceNote

export interface VoiceLog {
  entries: VoiceEntry[]
  /** The session's state, as the gate last told it. */
  state: Record<string, unknown>
  turn: number
  /** Which session this is on this page, and which connection: ids of calls and of utterances begin anew with them. */
  session: number
  connection: number
  /** What the assistant said last; whole, its sound may still be played. */
  saying: { key: string; isWhole: boolean } | null
}

export type VoiceEvent = { after: number } & (
  | { type: 'frame'; frame: ServerFrame; isHeard: boolean }
  | { type: 'typed'; id: string; text: string }
  | { type: 'decided'; token: string; decision: 'approve' | 'deny' }
  | { type: 'disconnected' | 'checked' }
  | { type: 'expired'; token: string }
  | { type: 'note'; tone: VoiceNote['tone']; text: string }
)

export const EMPTY_LOG: VoiceLog = { entries: [], state: {}, turn: 0, session: 0, connection: 0, saying: null }

export function extendLog(log: VoiceLog, event: VoiceEvent): VoiceLog {
  const place = { after: event.after, session: log.session, turn: log.turn }
  switch (event.type) {
    case 'frame':
      return applyFrame(log, event)
    case 'typed':
      return add(log, {
        ...place,
        kind: 'speech',
        key: `typed ${event.id}`,
        speaker: 'user',
        via: 'typed',
        text: event.text,
        final: true,
        interrupted: false,
      })
    case 'decided':
      return changeCard(log, event.token, () => ({ phase: 'sending', decision: event.decision }))
    case 'disconnected':
      return changeCards(log, state => (state.phase === 'closed' ? state : { phase: 'checking' }))
    case 'checked':
      return changeCards(log, state => (state.phase === 'checking' ? closed('unheard') : state))
    case 'expired':
      return changeCard(log, event.token, state => (state.phase === 'closed' ? state : closed('expired', 'time')))
    case 'note':
      return add(log, { ...place, kind: 'note', key: `note ${log.entries.length}`, tone: event.tone, text: event.text })
  }
}

/** `isHeard`: the assistant's sound is being played. */
function applyFrame(
  log: VoiceLog,
  { frame, after, isHeard }: { frame: ServerFrame; after: number; isHeard: boolean },
): VoiceLog {
  switch (frame.type) {
    case 'started':
      return {
        ...log,
        turn: frame.turn,
        connection: log.connection + 1,
        session: log.session + (frame.resumed ? 0 : 1),
      }
    case 'transcript':
      return hear(log, frame, after)
    case 'interrupted':
      return breakOff(log, isHeard)
    case 'turnComplete':
      return { ...log, saying: log.saying && { ...log.saying, isWhole: true } }
    case 'toolCall':
      return beginTool({ ...log, turn: frame.turn ?? log.turn }, frame, after)
    case 'filler':
      return changeTool(log, frame.id, tool => ({ ...tool, filler: { expectedMs: frame.expectedMs } }))
    case 'toolResult':
      return settleTool(log, frame, after)
    case 'confirmation':
      return ask(log, frame, after)
    case 'confirmationClosed':
      return changeCard(log, frame.token, state => answered(state, frame.outcome, frame.by))
    case 'state':
      return { ...log, state: frame.state ?? log.state, turn: frame.turn ?? log.turn }
    default:
      return log
  }
}

/** Pieces of one utterance are one entry. What the user said stands before what it was answered with, however late it is heard. */
function hear(log: VoiceLog, { direction, utterance, text, final, turn }: TranscriptFrame, after: number): VoiceLog {
  const key = `utterance ${log.connection} ${utterance}`
  const speaker = direction === 'input' ? 'user' : 'assistant'
  if (log.entries.some(entry => entry.key === key)) {
    return {
      ...log,
      entries: log.entries.map(entry =>
        entry.key === key && entry.kind === 'speech' ? { ...entry, text: entry.text + text, final } : entry,
      ),
    }
  }
  if (text === '') return log
  const said: Speech = {
    kind: 'speech',
    key,
    after,
    session: log.session,
    turn,
    speaker,
    via: 'voice',
    text,
    final,
    interrupted: false,
  }
  const answer =
    speaker === 'user'
      ? log.entries.findIndex(entry => entry.session === log.session && entry.turn === turn && !isOfUser(entry))
      : -1
  const at = answer < 0 ? log.entries.length : answer
  return {
    ...log,
    turn,
    entries: log.entries.toSpliced(at, 0, said),
    saying: speaker === 'assistant' ? { key, isWhole: false } : log.saying,
  }
}

function isOfUser(entry: VoiceEntry): boolean {
  return entry.kind === 'note' || (entry.kind === 'speech' && entry.speaker === 'user')
}

/** A service sends sound faster than it is heard: who breaks in may do so long after the turn is over. */
function breakOff(log: VoiceLog, isHeard: boolean): VoiceLog {
  const { saying } = log
  if (saying === null || (saying.isWhole && !isHeard)) return { ...log, saying: null }
  const entries = log.entries.map(entry =>
    entry.kind === 'speech' && entry.key === saying.key ? { ...entry, final: true, interrupted: true } : entry,
  )
  return { ...log, entries, saying: null }
}

interface CalledTool {
  id: string | null
  name: string
  title?: string
}

function callKey(log: VoiceLog, id: string | null): string {
  return `call ${log.session} ${id ?? log.entries.length}`
}

function newTool(log: VoiceLog, { id, name, title = name }: CalledTool, after: number): VoiceTool {
  return {
    kind: 'tool',
    key: callKey(log, id),
    after,
    session: log.session,
    turn: log.turn,
    name,
    title,
    result: null,
    filler: null,
    isDropped: false,
  }
}

/** A call that the model repeats after a reconnect is the one that is shown. */
function beginTool(log: VoiceLog, called: CalledTool, after: number): VoiceLog {
  const tool = newTool(log, called, after)
  return log.entries.some(({ key }) => key === tool.key) ? log : add(log, tool)
}

function settleTool(log: VoiceLog, result: ToolResultFrame, after: number): VoiceLog {
  const key = callKey(log, result.id)
  const known = log.entries.some(entry => entry.key === key)
  const settled = known
    ? changeTool(log, result.id, tool => ({ ...tool, result }))
    : add(log, { ...newTool(log, result, after), result })
  const card = log.entries.findLast(entry => entry.kind === 'card' && isAnswerOf(entry, result, key))
  if (card?.kind !== 'card' || result.errorType === 'CONFIRMATION_REQUIRED') return settled
  return changeCard(settled, card.request.token, state => withResult(state, result))
}

/** An answer to a question that was not closed: the gate could not take the user's word just now, it still waits. */
function withResult(state: CardState, result: ToolResultFrame): CardState {
  if (state.phase === 'sending') return { phase: 'asking' }
  return state.phase === 'closed' ? { ...state, result } : state
}

function isAnswerOf({ callKey: asker, request, state }: VoiceCard, { name }: ToolResultFrame, key: string): boolean {
  if (state.phase === 'closed' ? state.outcome === 'denied' || state.result : state.phase !== 'sending') return false
  return asker === null ? request.tool === name : asker === key
}

function ask(
  log: VoiceLog,
  { request, title, readBack }: Extract<ServerFrame, { type: 'confirmation' }>,
  after: number,
): VoiceLog {
  const key = `card ${request.token}`
  // Sent again: after a resume, or because the model asked again.
  if (log.entries.some(entry => entry.key === key)) {
    return changeCard(log, request.token, state =>
      state.phase === 'closed' && state.outcome !== 'unheard' ? state : { phase: 'asking' },
    )
  }
  const asker = log.entries.findLast(entry => entry.kind === 'tool' && entry.name === request.tool && asks(entry))
  return add(log, {
    kind: 'card',
    key,
    after,
    session: log.session,
    turn: log.turn,
    request,
    title,
    readBack,
    callKey: asker?.key ?? null,
    state: { phase: 'asking' },
  })
}

function asks({ result }: VoiceTool): boolean {
  return result === null || result.errorType === 'CONFIRMATION_REQUIRED'
}

/** An answer that came too late changes nothing of what is known. */
function answered(state: CardState, outcome: 'confirmed' | 'denied' | 'expired', by?: ClosedBy): CardState {
  return state.phase === 'closed' && state.outcome !== 'unheard' ? state : closed(outcome, by)
}

function closed(outcome: 'confirmed' | 'denied' | 'expired' | 'unheard', by?: ClosedBy): CardState {
  return { phase: 'closed', outcome, by, result: null }
}

function add(log: VoiceLog, entry: VoiceEntry): VoiceLog {
  return { ...log, entries: [...log.entries, entry] }
}

function changeTool(log: VoiceLog, id: string | null, change: (tool: VoiceTool) => VoiceTool): VoiceLog {
  const key = callKey(log, id)
  return {
    ...log,
    entries: log.entries.map(entry => (entry.kind === 'tool' && entry.key === key ? change(entry) : entry)),
  }
}

function changeCard(log: VoiceLog, token: string, change: (state: CardState) => CardState): VoiceLog {
  const card = log.entries.find(entry => entry.kind === 'card' && entry.request.token === token)
  if (card?.kind !== 'card') return log
  const state = change(card.state)
  const isDropped = state.phase === 'closed' && (state.outcome === 'denied' || state.outcome === 'expired')
  return {
    ...log,
    entries: log.entries.map(entry => {
      if (entry === card) return { ...card, state }
      return entry.kind === 'tool' && entry.key === card.callKey ? { ...entry, isDropped } : entry
    }),
  }
}

function changeCards(log: VoiceLog, change: (state: CardState) => CardState): VoiceLog {
  return {
    ...log,
    entries: log.entries.map(entry => (entry.kind === 'card' ? { ...entry, state: change(entry.state) } : entry)),
  }
}
