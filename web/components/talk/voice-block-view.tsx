import { Fragment } from 'react'
import { Confirmations, type ToolgateCall } from 'toolgate-react'
import {
  type Citation,
  type SpeechEntry,
  type VoiceBlock,
  type VoiceCard,
  type VoiceTool,
  blockSources,
  toolActivity,
} from 'toolgate-react/parts'
import { Notice } from '@/components/ui/notice'
import { AnswerText } from './answer-text'
import { CallLines } from './call-lines'
import { SourceList } from './source-list'
import { TranscriptEntry } from './transcript-entry'
import styles from './voice-block-view.module.css'

interface VoiceBlockViewProps {
  block: VoiceBlock
  call: ToolgateCall
}

/** Captions, calls and questions of a voice call, in the layout of chat messages. */
export function VoiceBlockView({ block, call }: VoiceBlockViewProps) {
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
      return <AssistantBlock block={block} call={call} />
  }
}

type AssistantBlockProps = Omit<VoiceBlockViewProps, 'block'> & {
  block: Extract<VoiceBlock, { speaker: 'assistant' }>
}

function AssistantBlock({ block, call }: AssistantBlockProps) {
  const sources = blockSources(block.parts)
  return (
    <TranscriptEntry speaker="assistant" via="voice">
      {grouped(block.parts).map(({ key, tools, cards, speech }) => (
        <Fragment key={key}>
          {tools.length > 0 && <CallLines activities={tools.map(toolActivity)} />}
          {cards.length > 0 && <Confirmations of={call} tokens={cards.map(({ request }) => request.token)} />}
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
