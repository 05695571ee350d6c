'use client'
import { AudioLines, Mic, MicOff, PhoneOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../controls/badge.js'
import { Button } from '../controls/button.js'
import { useCountdown } from '../card/use-countdown.js'
import { AudioLevelMeter } from './audio-level-meter.js'
import type { CallState } from './call-client.js'
import type { ToolgateCall } from './use-voice-call.js'

interface VoiceControlsProps {
  of: ToolgateCall
  className?: string
  /** More buttons of a running call. */
  children?: ReactNode
}

/** Begins a voice call; of a running one the status, audio levels and controls. */
export function VoiceControls({ of: call, className, children }: VoiceControlsProps) {
  const { client, state, isOn, key } = call
  if (!isOn)
    return (
      <section data-toolgate="voice" className={className} aria-label="Voice call" data-phase={state.link.phase}>
        <Button icon={<AudioLines size={16} aria-hidden="true" />} onClick={() => call.start()}>
          {key ? 'Resume the call' : 'Talk'}
        </Button>
      </section>
    )
  const { link, isMuted, microphone, problem } = state
  return (
    <section
      data-toolgate="voice"
      className={className}
      aria-label="Voice call"
      data-phase={link.phase}
      data-speaking={state.isSpeaking}
      data-thinking={state.log.isThinking}
    >
      <div data-part="state">
        <span data-part="lamp" aria-hidden="true" />
        <StateWord state={state} />
        {link.phase === 'waiting' && (
          <Button size="s" onClick={() => client.retry()}>
            Try now
          </Button>
        )}
        {badgesOf(state).map(({ tone, text }) => (
          <Badge key={text} tone={tone}>
            {text}
          </Badge>
        ))}
      </div>
      <AudioLevelMeter levels={client.levels} />
      <div data-part="actions">
        {children}
        <Button
          aria-pressed={isMuted}
          disabled={microphone !== 'on'}
          icon={isMuted ? <MicOff size={16} aria-hidden="true" /> : <Mic size={16} aria-hidden="true" />}
          onClick={() => client.mute(!isMuted)}
        >
          {isMuted ? 'Unmute' : 'Mute'}
        </Button>
        <Button variant="danger" icon={<PhoneOff size={16} aria-hidden="true" />} onClick={() => client.end()}>
          End
        </Button>
      </div>
      {problem && (
        <p data-part="problem" role="status">
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
    <p data-part="word">
      {callStatusText(state)}
      {link.phase === 'waiting' && seconds !== null && (
        <span data-part="soft">{seconds > 0 ? `next try in ${seconds} s` : 'trying'}</span>
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
