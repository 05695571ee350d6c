import { type Answer, type ToolTransport, type TransportOptions } from './transport.js'
import { WireTransport } from './wire-transport.js'

export interface GeminiAnswer extends Answer {
  /** When the model speaks about the answer; left out if the surface and model do not support it. */
  scheduling?: 'SILENT' | 'WHEN_IDLE' | 'INTERRUPT'
}

/**
 * Gemini Live, over the messages of `@google/genai`, the same JSON from another source, or raw frames of the socket.
 */
export class GeminiLiveTransport extends WireTransport<object[]> {
  constructor(
    geminiSession: { sendToolResponse(message: { functionResponses: object[] }): unknown },
    options?: TransportOptions & { surface?: 'developer' | 'vertex'; model?: string },
  )
  /** The capabilities of this surface and model. */
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Whether a call without an id waits for its `toolCall`. */
  readonly holdsCalls: boolean
  /** Releases the waiting calls, for a host whose wait timed out. */
  releaseHeldCalls(): ReturnType<ToolTransport['receiveToolCalls']>
  /** The `functionResponses` that were sent: none if the call was cancelled. */
  sendToolResult(answer: GeminiAnswer): object[]
  sendToolResults(answers: GeminiAnswer[]): object[]
}
