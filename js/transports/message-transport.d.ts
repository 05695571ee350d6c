import { type Answer, type ReadyCall, ToolTransport } from './transport.js'

/** Work that a model hands to the application. */
export interface Delegation {
  id: string
  /**
   * What the user has said since the delegation before, as far as it was transcribed when the delegation came; the end of a long
   * text. The delegation itself has no text.
   */
  transcript: string
  /** Milliseconds on the session's timeline; `null` if the event did not say. */
  offsetMs: number | null
}

/** What a message of the provider contains for the host. */
export interface ReadResult {
  calls: ReadyCall[]
  /** Ids of cancelled calls. */
  cancelled: string[]
  /** Work that the model hands to the application; none in protocols without delegations. */
  delegations: Delegation[]
  /** Violations of the protocol, calls that are not given, and errors that the provider reports. */
  problems: string[]
}

/** A transport that reads a provider's messages. An event is an SDK's object, a message's text, or its bytes. */
export class MessageTransport<Sent = unknown> extends ToolTransport<Sent> {
  /** One part of what an event gives. */
  protected receive<Part extends 'calls' | 'cancelled' | 'delegations'>(event: unknown, part: Part): ReadResult[Part]
  /** Reads a message into `result`. What it throws becomes a problem. */
  protected readMessage(message: Record<string, unknown>, result: ReadResult): void
  /** An answer is not sent: says why, in `problem` and on the diagnostics channel `toolgate:answer`. */
  protected refuse(answer: Pick<Answer, 'id' | 'name'>, why: string): void
  /** Reads the end of a stream, `[DONE]`. */
  protected readEnd(result: ReadResult): void
  /** An event was lost: a message that streams in pieces can't be completed. */
  protected readLoss(result: ReadResult): void
}
