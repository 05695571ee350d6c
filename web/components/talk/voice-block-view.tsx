import { Notice } from '@/components/ui/notice'
import { type VoiceBlock, blockSources, toolActivity } from '@/lib/voice/voice-blocks'
import type { Citation } from '@/lib/tool-activity'
import type { SpeechEntry, VoiceCard, VoiceTool } from '@/lib/voice/voice-log'
import { AnswerText } from './answer-text'
import type { Decision } from '@/components/ui/decision-buttons'
import { SourceList } from './source-list'
import { TranscriptEntry } from './transcript-entry'
import { ToolActivityList } from './tool-activity-list'
import { VoiceConfirmationCard } from './voice-confirmation-card'
import styles from './voice-block-view.module.css'

interface VoiceBlockViewProps {
  block: VoiceBlock
  isLive: boolean
  onDecide(token: string, decision: Decision): void
  onExpire(token: string): void
}

/** Captions, calls and questions of a voice call, in the layout of chat messages. */
export function VoiceBlockView({ block, ...rest }: VoiceBlockViewProps) {
  switch (block.speaker) {
    case 'none':
      return <Notice tone={block.note.tone}>{block.note.text}</Notice>
    case 'user':
      return (
        <TranscriptEntry speaker="user" via={block.speech.via}>
          {block.speech.text}
        </TranscriptEntry>
      )
    case 'assistant':
      return <AssistantBlock block={block} {...rest} />
  }
}

type AssistantBlockProps = Omit<VoiceBlockViewProps, 'block'> & {
  block: Extract<VoiceBlock, { speaker: 'assistant' }>
}

function AssistantBlock({ block, ...rest }: AssistantBlockProps) {
  const sources = blockSources(block.parts)
  return (
    <TranscriptEntry speaker="assistant" via="voice">
      {grouped(block.parts).map(part =>
        Array.isArray(part) ? (
          <ToolActivityList key={part[0]?.key} activities={part.map(toolActivity)} />
        ) : (
          <Part key={part.key} part={part} sources={sources} scope={block.key} {...rest} />
        ),
      )}
      <SourceList sources={sources} scope={block.key} />
    </TranscriptEntry>
  )
}

type PartProps = Omit<VoiceBlockViewProps, 'block'> & {
  part: SpeechEntry | VoiceCard
  sources: Citation[]
  /** Prefix of the sources' ids on the page. */
  scope: string
}

function Part({ part, sources, scope, ...rest }: PartProps) {
  if (part.kind === 'card') return <VoiceConfirmationCard card={part} {...rest} />
  return (
    <div className={part.final ? undefined : styles.open}>
      <AnswerText text={part.text} sources={sources} scope={scope} />
      {part.interrupted && <p className={styles.cut}>You broke in here.</p>}
    </div>
  )
}

/** Groups consecutive calls into one list. */
function grouped(parts: (SpeechEntry | VoiceTool | VoiceCard)[]): (SpeechEntry | VoiceCard | VoiceTool[])[] {
  const groups: (SpeechEntry | VoiceCard | VoiceTool[])[] = []
  for (const part of parts) {
    const last = groups.at(-1)
    if (part.kind !== 'tool') groups.push(part)
    else if (Array.isArray(last)) last.push(part)
    else groups.push([part])
  }
  return groups
}
