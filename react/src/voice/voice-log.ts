// The log of a voice call as the page shows it: a reducer over its events.
import { incompleteText, lineText } from './server-notes.js'
import type { Grant } from 'toolgate'
import type { Wishes } from '../question/shown-question.js'
import { type CardState, askedStill, closeUnlessClosed, closedState, withResult } from './card-state.js'
import type { ServerFrame, ToolProgressFrame, ToolResultFrame, TranscriptFrame, VoiceQuestion } from './frames.js'

interface EntryBase {
  key: string
  /** Number of text chat messages when the entry was made: the entry is shown after them. */
  after: number
  session: number
  turn: number
}

export interface SpeechEntry extends EntryBase {
  kind: 'speech'
  speaker: 'user' | 'assistant'
  via: 'voice' | 'typed'
  text: string
  final: boolean
  interrupted: boolean
}

export interface VoiceTool extends EntryBase {
  kind: 'tool'
  name: string
  title: string
  result: ToolResultFrame | null
  /** Set once the call exceeds its latency target; the usual duration, if known. */
  filler: { expectedMs: number | null } | null
  /** What its handler has said last. */
  progress?: string
  /** Its question was denied or has expired. */
  isDropped: boolean
}

export interface VoiceCard extends EntryBase {
  kind: 'card'
  request: VoiceQuestion
  title?: string
  readBack?: string
  /** Key of the call that asked; `null` if this page did not receive it. */
  callKey: string | null
  state: CardState
  /** What the handler of its running call has said last. */
  progress?: string
}

/** An event of the voice call itself. */
export interface VoiceNote extends EntryBase {
  kind: 'note'
  tone: 'neutral' | 'ask' | 'stop'
  text: string
}

export type VoiceEntry = SpeechEntry | VoiceTool | VoiceCard | VoiceNote

export interface VoiceLog {
  entries: VoiceEntry[]
  /** The session's state, as last sent by the gate. */
  state: Record<string, unknown>
  /** What the user has granted in the session. */
  grants: Grant[]
  turn: number
  /** The assistant waits for a tool that takes long. */
  isThinking: boolean
  /** Numbers of session and connection on this page: ids of calls and utterances are unique only within them. */
  session: number
  connection: number
  /** The assistant's last utterance; after it is complete, its audio may still be playing. */
  lastSpeech: { key: string; isComplete: boolean } | null
}

export type VoiceEvent = { after: number } & (
  | { type: 'frame'; frame: ServerFrame; isPlaying: boolean }
  | { type: 'typed'; id: string; text: string }
  | { type: 'decided'; token: string; decision: 'approve' | 'deny'; wishes: Wishes }
  | { type: 'disconnected' | 'checked' }
  | { type: 'expired'; token: string }
  | { type: 'note'; tone: VoiceNote['tone']; text: string }
)

export const EMPTY_LOG: VoiceLog = {
  entries: [],
  state: {},
  grants: [],
  turn: 0,
  isThinking: false,
  session: 0,
  connection: 0,
  lastSpeech: null,
}

export function extendLog(log: VoiceLog, event: VoiceEvent): VoiceLog {
  const place = { after: event.after, session: log.session, turn: log.turn }
  switch (event.type) {
    case 'frame':
      return applyFrame(log, event)
    case 'typed':
      return appendEntry(log, {
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
      return changeCard(log, event.token, () => ({
        phase: 'sending',
        decision: event.decision,
        wishes: event.wishes,
      }))
    case 'disconnected':
      return changeCards({ ...log, isThinking: false }, state =>
        state.phase === 'closed' ? state : { phase: 'checking' },
      )
    case 'checked':
      return changeCards(log, state => (state.phase === 'checking' ? closedState('unheard') : state))
    case 'expired':
      return changeCard(log, event.token, state => (state.phase === 'closed' ? state : closedState('expired', 'time')))
    case 'note':
      return addNote(log, event.after, event)
  }
}

interface ReceivedFrame {
  frame: ServerFrame
  after: number
  /** Whether audio of the assistant is being played. */
  isPlaying: boolean
}

/** Every frame with a turn counts it. A late one, such as the transcript of what began the turn before, does not count back. */
function applyFrame(log: VoiceLog, received: ReceivedFrame): VoiceLog {
  const { frame } = received
  if (frame.type === 'started' || !('turn' in frame)) return applyContent(log, received)
  return applyContent({ ...log, turn: Math.max(log.turn, frame.turn ?? 0) }, received)
}

function applyContent(log: VoiceLog, { frame, after, isPlaying }: ReceivedFrame): VoiceLog {
  switch (frame.type) {
    case 'started':
      return {
        ...log,
        turn: frame.turn,
        connection: log.connection + 1,
        session: log.session + (frame.resumed ? 0 : 1),
        grants: frame.resumed ? log.grants : [],
      }
    case 'transcript':
      return applyTranscript(log, frame, after)
    case 'interrupted':
      return markInterrupted(log, isPlaying)
    case 'turnComplete':
      return { ...log, lastSpeech: log.lastSpeech && { ...log.lastSpeech, isComplete: true } }
    case 'toolCall':
      return beginTool(log, frame, after)
    case 'filler':
      return changeTool(log, frame.id, tool => ({ ...tool, filler: { expectedMs: frame.expectedMs } }))
    case 'toolProgress':
      return tellProgress(log, frame)
    case 'toolResult':
      return settleTool(log, frame, after)
    case 'thinking':
      return { ...log, isThinking: frame.active }
    case 'line':
      return addNote(log, after, { tone: 'neutral', text: lineText(frame) })
    case 'answerIncomplete':
      return addNote(log, after, { tone: 'stop', text: incompleteText(frame) })
    case 'confirmation':
      return addCard(log, frame, after)
    case 'confirmationClosed':
      return changeCard(log, frame.token, state => closeUnlessClosed(state, frame.outcome, frame.by))
    case 'grants':
      return { ...log, grants: frame.grants }
    case 'error':
      return frame.token === undefined ? log : changeCard(log, frame.token, state => askedStill(state, frame))
    case 'state':
      return { ...log, state: frame.state ?? log.state }
    default:
      return log
  }
}

/**
 * Appends a piece to its utterance's entry. A user's entry is placed before its answer, even if its transcript is late.
 */
function applyTranscript(
  log: VoiceLog,
  { direction, utterance, text, final, turn }: TranscriptFrame,
  after: number,
): VoiceLog {
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
  const said: SpeechEntry = {
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
    entries: log.entries.toSpliced(at, 0, said),
    lastSpeech: speaker === 'assistant' ? { key, isComplete: false } : log.lastSpeech,
  }
}

function isOfUser(entry: VoiceEntry): boolean {
  return entry.kind === 'note' || (entry.kind === 'speech' && entry.speaker === 'user')
}

/** Marks the assistant's last utterance as interrupted: audio arrives faster than it plays, so the turn may be over. */
function markInterrupted(log: VoiceLog, isPlaying: boolean): VoiceLog {
  const { lastSpeech } = log
  if (lastSpeech === null || (lastSpeech.isComplete && !isPlaying)) return { ...log, lastSpeech: null }
  const entries = log.entries.map(entry =>
    entry.kind === 'speech' && entry.key === lastSpeech.key ? { ...entry, final: true, interrupted: true } : entry,
  )
  return { ...log, entries, lastSpeech: null }
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

/** A call that the model repeats after a reconnect keeps its entry. */
function beginTool(log: VoiceLog, called: CalledTool, after: number): VoiceLog {
  const tool = newTool(log, called, after)
  return log.entries.some(({ key }) => key === tool.key) ? log : appendEntry(log, tool)
}

/** Of a call that runs: on its entry, and on its card if it was asked about. */
function tellProgress(log: VoiceLog, { id, text }: ToolProgressFrame): VoiceLog {
  const key = callKey(log, id)
  const entries = log.entries.map(entry => {
    if (entry.kind === 'tool' && entry.key === key && !entry.result) return { ...entry, progress: text }
    return entry.kind === 'card' && entry.callKey === key && isRunning(entry) ? { ...entry, progress: text } : entry
  })
  return { ...log, entries }
}

const isRunning = ({ state }: VoiceCard): boolean =>
  state.phase === 'sending' || (state.phase === 'closed' && state.outcome === 'confirmed' && !state.result)

function settleTool(log: VoiceLog, result: ToolResultFrame, after: number): VoiceLog {
  const key = callKey(log, result.id)
  const known = log.entries.some(entry => entry.key === key)
  const settled = known
    ? changeTool(log, result.id, tool => ({ ...tool, result }))
    : appendEntry(log, { ...newTool(log, result, after), result })
  const card = log.entries.findLast(entry => entry.kind === 'card' && isResultOf(entry, result, key))
  if (card?.kind !== 'card' || result.errorType === 'CONFIRMATION_REQUIRED') return settled
  return changeCard(settled, card.request.token, state => withResult(state, result))
}

function isResultOf({ callKey: asker, request, state }: VoiceCard, { name }: ToolResultFrame, key: string): boolean {
  if (state.phase !== 'closed' || state.outcome === 'denied' || state.result) return false
  return asker === null ? request.tool === name : asker === key
}

function addCard(
  log: VoiceLog,
  { request, title, readBack }: Extract<ServerFrame, { type: 'confirmation' }>,
  after: number,
): VoiceLog {
  const key = `card ${request.token}`
  // Sent again after a resume, because the model asked again, or because an approver has confirmed it.
  if (log.entries.some(entry => entry.key === key)) {
    const entries = log.entries.map(entry =>
      entry.kind === 'card' && entry.key === key ? { ...entry, request } : entry,
    )
    return changeCard({ ...log, entries }, request.token, state =>
      state.phase === 'asking' || (state.phase === 'closed' && state.outcome !== 'unheard')
        ? state
        : { phase: 'asking' },
    )
  }
  const asked = request.callId && callKey(log, request.callId)
  const asker = log.entries.findLast(
    entry =>
      entry.kind === 'tool' && (asked ? entry.key === asked : entry.name === request.tool && awaitsConfirmation(entry)),
  )
  return appendEntry(log, {
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

function awaitsConfirmation({ result }: VoiceTool): boolean {
  return result === null || result.errorType === 'CONFIRMATION_REQUIRED'
}

function addNote(
  log: VoiceLog,
  after: number,
  { tone, text }: { tone: VoiceNote['tone']; text: string | null },
): VoiceLog {
  if (text === null) return log
  const { session, turn, entries } = log
  return appendEntry(log, { kind: 'note', key: `note ${entries.length}`, after, session, turn, tone, text })
}

function appendEntry(log: VoiceLog, entry: VoiceEntry): VoiceLog {
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
