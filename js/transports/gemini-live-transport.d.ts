import { type Answer, type ToolTransport } from './transport.js'
import { WireTransport } from './wire-transport.js'

export interface GeminiAnswer extends Answer {
  /** How the model takes the answer up; left out where the surface and model do not support it. */
  scheduling?: 'SILENT' | 'WHEN_IDLE' | 'INTERRUPT'
}

/**
 * Gemini Live, over the messages of `@google/genai`, the same JSON from anywhere else, or frames as they came from the socket.
 */
export class GeminiLiveTransport extends WireTransport<object[]> {
  constructor(
    geminiSession: { sendToolResponse(message: { functionResponses: object[] }): unknown },
    options?: { surface?: 'developer' | 'vertex'; model?: string },
  )
  /** What this surface and model support. */
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Whether a call without an id waits for its `toolCall`. */
  readonly holdsCalls: boolean
  /** The waiting calls, for a host that has waited long enough. */
  releaseHeldCalls(): ReturnType<ToolTransport['receiveToolCalls']>
  /** The `functionResponses` that were sent: none where the call was cancelled. */
  sendToolResult(answer: GeminiAnswer): object[]
  sendToolResults(answers: GeminiAnswer[]): object[]
}
