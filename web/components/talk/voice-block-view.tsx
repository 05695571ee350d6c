import { Fragment } from 'react'
import { Notice } from '@/components/ui/notice'
import { type VoiceBlock, blockSources, toolActivity } from '@/lib/voice/voice-blocks'
import type { Wishes } from '@/lib/shown-question'
import type { Citation } from '@/lib/tool-activity'
import type { SpeechEntry, VoiceCard, VoiceTool } from '@/lib/voice/voice-log'
import { AnswerText } from './answer-text'
import { ConfirmationGroup } from './confirmation-group'
import type { Decision } from '@/components/ui/decision-buttons'
import { SourceList } from './source-list'
import { TranscriptEntry } from './transcript-entry'
import { ToolActivityList } from './tool-activity-list'
import { VoiceConfirmationCard } from './voice-confirmation-card'
import styles from './voice-block-view.module.css'

interface VoiceBlockViewProps {
  block: VoiceBlock
  isLive: boolean
  onDecide(token: string, decision: Decision, wishes: Wishes): void
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
      {grouped(block.parts).map(({ key, tools, cards, speech }) => (
        <Fragment key={key}>
          {tools.length > 0 && <ToolActivityList activities={tools.map(toolActivity)} />}
          {cards.length > 0 && (
            <ConfirmationGroup>
              {cards.map(card => (
                <VoiceConfirmationCard key={card.key} card={card} {...rest} />
              ))}
            </ConfirmationGroup>
          )}
          {speech && <Speech part={speech} sources={sources} scope={block.key} />}
        </Fragment>
      ))}
      <SourceList sources={sources} scope={block.key} />
    </TranscriptEntry>
  )
}

interface SpeechProps {
  part: SpeechEntry
  sources: Citation[]
  /** Prefix of the sources' ids on the page. */
  scope: string
}

function Speech({ part, sources, scope }: SpeechProps) {
  return (
    <div className={part.final ? undefined : styles.open}>
      <AnswerText text={part.text} sources={sources} scope={scope} />
      {part.interrupted && <p className={styles.cut}>You broke in here.</p>}
    </div>
  )
}

interface PartGroup {
  key: string
  tools: VoiceTool[]
  cards: VoiceCard[]
  speech?: SpeechEntry
}

/** Speech, or what lies between: the calls in one list, and below it their questions. */
function grouped(parts: (SpeechEntry | VoiceTool | VoiceCard)[]): PartGroup[] {
  const groups: PartGroup[] = []
  for (const part of parts) {
    const last = groups.at(-1)
    if (part.kind === 'speech') groups.push({ key: part.key, tools: [], cards: [], speech: part })
    else {
      const group = last && !last.speech ? last : { key: part.key, tools: [], cards: [] }
      if (group !== last) groups.push(group)
      if (part.kind === 'tool') group.tools.push(part)
      else group.cards.push(part)
    }
  }
  return groups
}
