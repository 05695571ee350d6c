import type { BackgroundResult } from '../../types/background.js'
import { type Delegation, MessageTransport } from './message-transport.js'
import { type Answer, type TransportOptions } from './transport.js'

/** A client event that was sent; what the service says about it names its `event_id` as `client_event_id`. */
export interface LiveClientEvent {
  type: string
  event_id: string
  [member: string]: unknown
}

export interface ConversationLine {
  role: 'user' | 'assistant'
  text: string
}

/** The answer to a delegation: what the model says to the user, what it only knows, or both. */
export interface DelegationAnswer {
  /** The delegation's id. */
  id: string
  /** What the model says to the user, in its own words. */
  commentary?: string
  /** What the model knows and does not speak about. It may show in what it says later: no secret belongs here. */
  thinking?: string
  /** Another answer follows, such as the result after a first word. */
  willContinue?: boolean
}

/**
 * OpenAI's GPT-Live (`/v1/live/sessions`), over the events of the `openai` package or raw frames of the socket. The model delegates
 * its work: to the application (`receiveDelegations`, `sendAnswer`), or to a Responses backend whose function calls are the
 * application's (`receiveToolCalls`, `sendToolResults`).
 *
 * A text of more than 500 bytes is sent as several appends, 16 at most: the service refuses one of more than 500 tokens.
 */
export class OpenAILiveTransport extends MessageTransport<LiveClientEvent[]> {
  /** @param client `LiveWS` or `SidebandWS` of the `openai` package, or any object that sends an event on the socket as JSON */
  constructor(client: { send(event: any): unknown }, options?: TransportOptions)
  /** The delegations to the application that `event` brings. One that comes twice is given once. */
  receiveDelegations(event: unknown): Delegation[]
  /**
   * The words of a delegation, with those that were transcribed after it came. The last 256 delegations at least are known; ''
   * for others.
   */
  transcriptOf(id: string): string
  /** What the user and the model have said last, by their transcripts: 64 lines at most, of each the last 2048 characters. */
  readonly conversation: ConversationLine[]
  /** Whether a delegation was given and waits for its answer. */
  awaits(id: string): boolean
  /**
   * Answers a delegation to the application. Returns what was sent: nothing for a delegation that has its answer, or did not come
   * through this transport.
   *
   * @throws TypeError without any text
   */
  sendAnswer(answer: DelegationAnswer): LiveClientEvent[]
  /**
   * Sends the result of a background call: as commentary, or as thinking with `silent`, such as that of a read which the user has
   * interrupted. Without an open `delegation` it belongs to the session as a whole. Returns what was sent; call `accept()` of
   * the result then.
   */
  sendResult(
    result: Pick<BackgroundResult, 'toolId' | 'response'>,
    options?: { delegation?: string; silent?: boolean },
  ): LiveClientEvent[]
  /**
   * Answers a call of the Responses backend. Returns the events that were sent: the output, and `response.create` after the last
   * output of a response. None for a call that is answered, which `problem` says.
   */
  sendToolResult(answer: Answer): LiveClientEvent[]
  sendToolResults(answers: Answer[]): LiveClientEvent[]
  /**
   * Replaces the tools of the Responses backend, such as with `session.declared('openaiResponses')` in `onToolsFound`; returns
   * the event that was sent.
   */
  updateTools(declarations: object[]): LiveClientEvent
}
