'use client'
import { Link2, Mic, MicOff, PhoneOff } from 'lucide-react'
import { Badge, type Tone } from '@/components/ui/badge'
import { Button, IconButton } from '@/components/ui/button'
import { classNames } from '@/lib/class-names'
import type { CallState, VoiceCall } from '@/lib/voice/voice-call'
import { AudioLevelMeter } from './audio-level-meter'
import { useCountdown } from './use-countdown'
import styles from './voice-call-bar.module.css'

interface VoiceCallBarProps {
  call: VoiceCall
  state: CallState
  onShare(): void
}

/** The running call: its status, audio levels and controls. */
export function VoiceCallBar({ call, state, onShare }: VoiceCallBarProps) {
  const { link, isMuted, microphone, problem } = state
  return (
    <section
      className={styles.dock}
      aria-label="Voice call"
      data-phase={link.phase}
      data-speaking={state.isSpeaking}
      data-thinking={state.log.isThinking}
    >
      <div className={styles.state}>
        <span className={classNames(styles.lamp, link.phase === 'live' && styles.on)} aria-hidden="true" />
        <StateWord state={state} />
        {link.phase === 'waiting' && (
          <Button size="s" onClick={() => call.retry()}>
            Try now
          </Button>
        )}
        {badgesOf(state).map(({ tone, text }) => (
          <Badge key={text} tone={tone}>
            {text}
          </Badge>
        ))}
      </div>
      <AudioLevelMeter levels={call.levels} />
      <div className={styles.actions}>
        <IconButton label="Answer on another device" onClick={onShare}>
          <Link2 size={17} aria-hidden="true" />
        </IconButton>
        <Button
          aria-pressed={isMuted}
          disabled={microphone !== 'on'}
          icon={isMuted ? <MicOff size={16} aria-hidden="true" /> : <Mic size={16} aria-hidden="true" />}
          onClick={() => call.mute(!isMuted)}
        >
          {isMuted ? 'Unmute' : 'Mute'}
        </Button>
        <Button variant="danger" icon={<PhoneOff size={16} aria-hidden="true" />} onClick={() => call.end()}>
          End
        </Button>
      </div>
      {problem && (
        <p className={styles.problem} role="status">
          {problem}
        </p>
      )}
    </section>
  )
}

function StateWord({ state }: { state: CallState }) {
  const { link } = state
  const seconds = useCountdown(link.phase === 'waiting' ? link.retryAt : 0)
  return (
    <p className={styles.word}>
      {callStatusText(state)}
      {link.phase === 'waiting' && seconds !== null && (
        <span className={styles.soft}>{seconds > 0 ? `next try in ${seconds} s` : 'trying'}</span>
      )}
    </p>
  )
}

/** The status text, which is also announced. */
export function callStatusText({ link, isMuted, isSpeaking, microphone, timeoutUntil, log }: CallState): string {
  if (link.phase === 'connecting') return 'Connecting'
  if (link.phase === 'waiting') return 'Connection lost'
  if (link.phase !== 'live') return ''
  if (timeoutUntil > Date.now()) return 'Paused'
  if (log.isThinking) return 'Thinking'
  if (isSpeaking) return 'Speaking'
  if (microphone === 'refused') return 'No microphone allowed: you can type'
  if (microphone === 'none') return 'No microphone found: you can type'
  if (isMuted) return 'Muted'
  return microphone === 'on' ? 'Listening' : 'Waiting for the microphone'
}

function badgesOf({ log, started }: CallState): { tone: Tone; text: string }[] {
  const { shouldSuppressAudio, shouldSuppressTranscript, pendingEndVoiceSession } = log.state
  return [
    shouldSuppressAudio === true && { tone: 'ask' as const, text: 'sound withheld' },
    shouldSuppressTranscript === true && { tone: 'ask' as const, text: 'captions withheld' },
    Boolean(pendingEndVoiceSession) && { tone: 'ask' as const, text: 'ends after this answer' },
    log.turn > 0 && { tone: 'neutral' as const, text: `turn ${log.turn}` },
    started?.simulator === true && { tone: 'neutral' as const, text: 'simulator' },
  ].filter(badge => badge !== false)
}
