'use client'
import { ArrowDown, Link2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Confirmations, VoiceControls, useToolgateChat, useVoiceCall } from 'toolgate-react'
import { Grants, callStatusText, clockTime, useCountdown } from 'toolgate-react/parts'
import { Button, IconButton } from '@/components/ui/button'
import type { ProviderKind } from '@/lib/provider'
import { Announcer } from './announcer'
import { CallLinkDialog } from './call-link-dialog'
import { ChatMenu } from './chat-menu'
import { Composer } from './composer'
import { FrameButtons } from './frame-buttons'
import { Conversation, Failure } from './conversation'
import { tokensOf } from './message-view'
import { ProviderBanner } from './provider-banner'
import styles from './talk.module.css'
import { useStickToBottom } from './use-stick-to-bottom'
import { Welcome } from './welcome'
import { announcements } from './announcements'

interface TalkProps {
  provider: ProviderKind
  /** URL of the voice server; without it there is no voice. */
  voiceUrl: string | null
  /** Whether the browser has been here before: its conversation is loaded. */
  isKnown: boolean
  /** The chat that the page begins with; without it, the first one. */
  chatId?: string
}

/** One conversation, by text and by voice. */
export function Talk({ provider, voiceUrl, isKnown, chatId }: TalkProps) {
  const call = useVoiceCall({ url: voiceUrl })
  const { key: voice, state, isOn } = call
  const chat = useToolgateChat({ api: '/api', id: chatId, call, isKnown })
  useAddressOf(chat.id)
  const [isSharing, setIsSharing] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const { scroller, isBehind, toEnd } = useStickToBottom()
  const seconds = useCountdown(Math.max(chat.timeoutUntil, state.timeoutUntil))
  const locked = seconds ? `Paused, ${clockTime(seconds)} left` : null

  function talk(pendingRequest?: string) {
    toEnd()
    call.start(pendingRequest)
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
          <ChatMenu chat={chat} disabled={isOn} onChange={() => field.current?.focus()} />
          <ProviderBanner provider={provider} />
          <div className={styles.log} role="log" aria-live="off" aria-label="Conversation" aria-busy={chat.isBusy}>
            {isEmpty && <Welcome hasVoice={voiceUrl !== null} onPick={send} />}
            <Conversation
              chat={chat}
              call={call}
              onTalk={voiceUrl && !isOn ? talk : undefined}
              onSend={chat.isBusy || locked ? undefined : send}
            />
            {chat.restoreFailure && (
              <Failure
                message={`The earlier conversation cannot be loaded. It is tried again. ${chat.restoreFailure}`}
              />
            )}
            {chat.status === 'submitted' && <p className={styles.waiting}>Thinking…</p>}
            {chat.failure && !locked && <Failure message={chat.failure.message} onRetry={() => void chat.retry()} />}
            <Confirmations of={chat} tokens={tokensOf(chat.questions)} />
          </div>
        </div>
      </div>
      <div className={styles.foot} data-in-call={isOn || undefined}>
        <div className={styles.column}>
          {isBehind && !isEmpty && (
            <Button size="s" className={styles.toEnd} icon={<ArrowDown size={14} aria-hidden="true" />} onClick={toEnd}>
              Newest
            </Button>
          )}
          {isOn && (
            <VoiceControls of={call}>
              <IconButton label="Answer on another device" onClick={() => setIsSharing(true)}>
                <Link2 size={17} aria-hidden="true" />
              </IconButton>
            </VoiceControls>
          )}
          <Composer
            field={field}
            placeholder={isOn ? 'Type into the call' : 'Write a message'}
            isBusy={chat.isBusy}
            locked={locked}
            talk={voiceUrl && !isOn ? { label: voice ? 'Resume the call' : 'Talk', onTalk: () => talk() } : undefined}
            onSend={send}
            onStop={() => void chat.stop()}
          />
        </div>
      </div>
      <div className={styles.more}>
        <div className={styles.column}>
          <Grants grants={chat.grants} onRevoke={chat.revoke} />
          <FrameButtons call={call.client} />
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
          call,
          locked: locked !== null,
          word: isOn ? callStatusText(state) : '',
        })}
      />
    </div>
  )
}

/** Keeps the chat's name in the page's address, so that it is there after a reload. */
function useAddressOf(id: string) {
  useEffect(() => {
    const url = new URL(location.href)
    if (id === FIRST_CHAT) url.searchParams.delete('chat')
    else url.searchParams.set('chat', id)
    if (url.href !== location.href) history.replaceState(history.state, '', url)
  }, [id])
}

const FIRST_CHAT = 'main'
