import { type Answer, type ToolTransport, type TransportOptions } from './transport.js'
import { WireTransport } from './wire-transport.js'

export interface GeminiAnswer extends Answer {
  /** When the model speaks about the answer; left out if the surface and model do not support it. */
  scheduling?: 'SILENT' | 'WHEN_IDLE' | 'INTERRUPT'
}

/** The part of a session of `ai.live.connect` that is used. */
export interface LiveSession {
  sendToolResponse(message: { functionResponses: object[] }): unknown
}

/**
 * Gemini Live, over the messages of `@google/genai`, the same JSON from another source, or raw frames of the socket.
 */
export class GeminiLiveTransport extends WireTransport<object[]> {
  /** @param geminiSession a Live session; without it, answers wait for `attach` */
  constructor(
    geminiSession?: LiveSession | null,
    options?: TransportOptions & { surface?: 'developer' | 'vertex'; model?: string },
  )
  /**
   * Gives the transport its session, for a transport that is made before `ai.live.connect`, whose callbacks use it. Answers
   * that waited are sent at once.
   *
   * @throws TypeError if it is no Live session; Error if the transport has one
   */
  attach(geminiSession: LiveSession): void
  /** The capabilities of this surface and model. */
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Whether a call without an id waits for its `toolCall`. */
  readonly holdsCalls: boolean
  /** Releases the waiting calls, for a host whose wait timed out. */
  releaseHeldCalls(): ReturnType<ToolTransport['receiveToolCalls']>
  /** The `functionResponses` that were sent: none if the answer waits for `attach` (at most 1000 do), none if the call was cancelled. */
  sendToolResult(answer: GeminiAnswer): object[]
  sendToolResults(answers: GeminiAnswer[]): object[]
}
