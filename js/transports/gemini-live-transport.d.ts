import { type Answer, type ToolTransport, type TransportOptions } from './transport.js'
import { MessageTransport } from './message-transport.js'

export interface GeminiAnswer extends Answer {
  /** When the model speaks about the answer; left out if the surface and model do not support it. */
  scheduling?: 'SILENT' | 'WHEN_IDLE' | 'INTERRUPT'
  /**
   * Another answer to the call follows, its result: for a tool that was declared with `behavior: 'NON_BLOCKING'`. Left out if the
   * surface and model do not support it: then the call has its answer.
   */
  willContinue?: boolean
}

/** The part of a session of `ai.live.connect` that is used; the last two by `resume`, one of them by each model. */
export interface LiveSession {
  sendToolResponse(message: { functionResponses: object[] }): unknown
  sendClientContent?(message: { turns: { role: 'user'; parts: { text: string }[] }[]; turnComplete: boolean }): unknown
  sendRealtimeInput?(message: { text: string }): unknown
}

/**
 * Gemini Live, over the messages of `@google/genai`, the same JSON from another source, or raw frames of the socket.
 */
export class GeminiLiveTransport extends MessageTransport<object[]> {
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
  /** The connection was lost: answers wait for the session that `resume` gives. */
  detach(): void
  /**
   * Gives the transport the session that resumes its own, after the connection was lost or renewed (`goAway`). The service knows
   * nothing of the calls that were running: their results are sent as text, and the model speaks about them. A call that the
   * service makes again, under the same id or another, is given under the id of the running one, so that the gate joins it or
   * answers from its record. Answers that waited are sent at once.
   *
   * @throws TypeError if the session can't send what the model takes
   */
  resume(geminiSession: LiveSession): void
  /** The capabilities of this surface and model. */
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Whether the service awaits an answer to this call: also one to a call whose answer had `willContinue`. */
  awaits(id: string): boolean
  /** Whether a call without an id waits for its `toolCall`. */
  readonly holdsCalls: boolean
  /** Releases the waiting calls, for a host whose wait timed out. */
  releaseHeldCalls(): ReturnType<ToolTransport['receiveToolCalls']>
  /**
   * What was sent: `functionResponses`, and `{ text }` for a call of an earlier connection. None for a call that was cancelled or is
   * answered, which `problem` says; none if the answer waits for `attach` or `resume` (at most 1000 do). A call that did not come
   * through this transport is answered under its id, or by its name.
   */
  sendToolResult(answer: GeminiAnswer): object[]
  sendToolResults(answers: GeminiAnswer[]): object[]
}
