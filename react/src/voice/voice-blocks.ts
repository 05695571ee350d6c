// Groups the log of a voice call into blocks by speaker.
import type { ChatMessage } from '../chat/chat-message.js'
import type { Citation, ToolActivity } from '../chat/tool-activity.js'
import type { SpeechEntry, VoiceCard, VoiceEntry, VoiceNote, VoiceTool } from './voice-log.js'

export type VoiceBlock =
  | { speaker: 'user'; key: string; after: number; speech: SpeechEntry }
  | { speaker: 'assistant'; key: string; after: number; parts: (SpeechEntry | VoiceTool | VoiceCard)[] }
  | { speaker: 'none'; key: string; after: number; note: VoiceNote }

/** Consecutive entries of the assistant (speech, calls, questions) form one block. */
export function voiceBlocks(entries: VoiceEntry[]): VoiceBlock[] {
  const blocks: VoiceBlock[] = []
  for (const entry of entries) {
    const { key, after } = entry
    if (entry.kind === 'note') blocks.push({ speaker: 'none', key, after, note: entry })
    else if (entry.kind === 'speech' && entry.speaker === 'user')
      blocks.push({ speaker: 'user', key, after, speech: entry })
    else {
      const last = blocks.at(-1)
      if (last?.speaker === 'assistant' && last.after === after) last.parts.push(entry)
      else blocks.push({ speaker: 'assistant', key, after, parts: [entry] })
    }
  }
  return blocks
}

/** The speech as chat messages, which the text model reads as history. */
export function spokenMessages(entries: VoiceEntry[], after: number): ChatMessage[] {
  return entries.flatMap(entry => {
    if (entry.kind !== 'speech' || entry.after !== after) return []
    return [{ id: entry.key, role: entry.speaker, parts: [{ type: 'text' as const, text: entry.text }] }]
  })
}

/** The records that a block's calls found, without duplicates, in order of arrival. */
export function blockSources(parts: (SpeechEntry | VoiceTool | VoiceCard)[]): Citation[] {
  const found = parts.flatMap(part => (part.kind === 'tool' ? (part.result?.sources ?? []) : []))
  return [...new Map(found.toReversed().map(source => [source.id, source])).values()].toReversed()
}

export function toolActivity({ key, name, title, result, filler, isDropped }: VoiceTool): ToolActivity {
  const base = { callId: key, name, title, replayed: false }
  if (!result)
    return { ...base, outcome: 'running', expectedMs: filler ? filler.expectedMs : undefined, isSlow: filler !== null }
  const { ok, errorType, message, durationMs } = result
  if (ok) return { ...base, outcome: 'ok', durationMs }
  if (errorType === 'CONFIRMATION_REQUIRED') return { ...base, outcome: isDropped ? 'dropped' : 'asking' }
  return { ...base, outcome: 'failed', errorType, message, durationMs }
}
