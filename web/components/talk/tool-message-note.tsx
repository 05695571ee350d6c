'use client'
import { AudioLines } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Notice } from '@/components/ui/notice'
import type { ChatData } from 'toolgate-react'

type ToolMessage = ChatData['tool-message']

interface ToolMessageNoteProps {
  message: ToolMessage
  /** Begins a voice call with a first request; absent if none can begin. */
  onTalk?(pendingRequest: string | undefined): void
}

/** A tool's direct message to the user. */
export function ToolMessageNote({ message, onTalk }: ToolMessageNoteProps) {
  switch (message.type) {
    case 'timeout':
      return <Notice tone="ask">{String(message.message || 'The assistant has paused this conversation.')}</Notice>
    case 'voice_session_start': {
      const request = typeof message.pendingRequest === 'string' ? message.pendingRequest : undefined
      const start = onTalk && (
        <Button size="s" icon={<AudioLines size={14} aria-hidden="true" />} onClick={() => onTalk(request)}>
          Start the call
        </Button>
      )
      return (
        <Notice tone="live" actions={start}>
          {request ? `A voice call was asked for: “${request}”` : 'A voice call was asked for.'}
        </Notice>
      )
    }
    case 'tool_progress':
      return null
    default:
      return <Notice>Message of a tool: {message.type}</Notice>
  }
}
