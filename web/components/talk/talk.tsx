'use client'
import { ArrowDown, Link2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import type { ProviderKind } from '@/lib/provider'
import { Announcer } from './announcer'
import { CallLinkDialog } from './call-link-dialog'
import { Composer } from './composer'
import { FrameButtons } from './frame-buttons'
import { GrantList } from './grant-list'
import { Conversation, Failure, QuestionsOfCall } from './conversation'
import { ProviderBanner } from './provider-banner'
import styles from './talk.module.css'
import { clockTime, useCountdown } from './use-countdown'
import { useStickToBottom } from './use-stick-to-bottom'
import { useKeptSpeech } from './use-kept-speech'
import type { AskedCard } from './use-asked-cards'
import { useGrants } from './use-grants'
import { useTextChat } from './use-text-chat'
import { useVoiceCall } from './use-voice-call'
import { useVoiceKey } from './use-voice-key'
import { VoiceCallBar, callStatusText } from './voice-call-bar'
import { Welcome } from './welcome'
import { announcements } from './announcements'

interface TalkProps {
  provider: ProviderKind
  /** URL of the voice server; without it there is no voice. */
  voiceUrl: string | null
  /** Whether the browser has been here before: its conversation is loaded. */
  isKnown: boolean
}

/** One conversation, by text and by voice. */
export function Talk({ provider, voiceUrl, isKnown }: TalkProps) {
  const { call, state, isOn } = useVoiceCall(voiceUrl)
  const voice = useVoiceKey()
  const chat = useTextChat({ spoken: state.log.entries, voice, isInCall: isOn, isKnown })
  useKeptSpeech(state.log.entries)
  const spoken = isOn ? { grants: state.log.grants, revoke: (id: string) => call.revoke(id) } : null
  const grants = useGrants({ voice, isKnown, isBusy: chat.isBusy, answers: chat.answers, call: spoken })
  const [isSharing, setIsSharing] = useState(false)
  const [answered, setAnswered] = useState<AskedCard[]>([])
  const field = useRef<HTMLTextAreaElement>(null)
  const { scroller, isBehind, toEnd } = useStickToBottom()
  const seconds = useCountdown(Math.max(chat.timeoutUntil, state.timeoutUntil))
  const locked = seconds ? `Paused, ${clockTime(seconds)} left` : null

  // A call in this window asks through its own connection.
  const asked = isOn || voice === null ? [] : chat.pending
  const elsewhere = [
    ...answered.map(({ card }) => card.token),
    ...chat.cards.map(({ card }) => card.token),
    ...state.log.entries.flatMap(entry => (entry.kind === 'card' && isOn ? [entry.request.token] : [])),
  ]
  const fresh = asked
    .filter(({ token }) => !elsewhere.includes(token))
    .map(card => ({ card, voice: voice ?? undefined }))
  const questions = [...answered, ...fresh]

  useEffect(() => {
    call.messageCount = chat.messages.length
  }, [call, chat.messages.length])

  function talk(pendingRequest?: string) {
    toEnd()
    void call.start(voice, pendingRequest)
    // A resumed session ignores the first request, so it is sent as typed text.
    if (voice && pendingRequest) call.say(pendingRequest)
    field.current?.focus()
  }

  function send(text: string) {
    toEnd()
    if (isOn) call.say(text)
    else void chat.sendMessage({ text })
    field.current?.focus()
  }

  const isEmpty = !chat.isRestoring && chat.messages.length === 0 && state.log.entries.length === 0 && !isOn
  return (
    <div className={styles.page}>
      <h1 className="visually-hidden">Talk</h1>
      <div ref={scroller} className={styles.scroller}>
        <div className={styles.column}>
          <ProviderBanner provider={provider} />
          <div className={styles.log} role="log" aria-live="off" aria-label="Conversation" aria-busy={chat.isBusy}>
            {isEmpty && <Welcome hasVoice={voiceUrl !== null} onPick={send} />}
            <Conversation
              chat={chat}
              call={call}
              state={state}
              onTalk={voiceUrl && !isOn ? talk : undefined}
              onSend={chat.isBusy || locked ? undefined : send}
            />
            {chat.status === 'submitted' && <p className={styles.waiting}>Thinking…</p>}
            {chat.failure && !locked && (
              <Failure message={chat.failure.message} onRetry={() => void chat.regenerate()} />
            )}
            <QuestionsOfCall cards={questions} onAnswer={card => setAnswered(known => [...known, card])} />
          </div>
        </div>
      </div>
      <div className={styles.foot}>
        <div className={styles.column}>
          {isBehind && !isEmpty && (
            <Button size="s" className={styles.toEnd} icon={<ArrowDown size={14} aria-hidden="true" />} onClick={toEnd}>
              Newest
            </Button>
          )}
          {isOn && <VoiceCallBar call={call} state={state} onShare={() => setIsSharing(true)} />}
          <Composer
            field={field}
            placeholder={isOn ? 'Type into the call' : 'Write a message'}
            isBusy={chat.isBusy}
            locked={locked}
            talk={voiceUrl && !isOn ? { label: voice ? 'Resume the call' : 'Talk', onTalk: () => talk() } : undefined}
            onSend={send}
            onStop={() => void chat.stop()}
          />
          <GrantList grants={grants.grants} onRevoke={grants.revoke} />
          <FrameButtons call={call} />
          <p className={styles.line}>
            <span className={voice && !isOn ? undefined : styles.hint}>
              {voice && !isOn ? 'In the session of your voice call' : 'Enter sends, Shift+Enter makes a line'}
            </span>
            {!isOn && (
              <button type="button" onClick={() => setIsSharing(true)}>
                <Link2 size={12} aria-hidden="true" />
                Answer questions of a voice call
              </button>
            )}
          </p>
        </div>
      </div>
      <CallLinkDialog open={isSharing} onOpenChange={setIsSharing} voice={voice} isOn={isOn} />
      <Announcer
        texts={announcements({
          chat,
          state,
          questions,
          locked: locked !== null,
          word: isOn ? callStatusText(state) : '',
        })}
      />
    </div>
  )
}
