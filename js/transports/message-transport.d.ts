import { type ReadyCall, ToolTransport } from './transport.js'

/** What a message of the provider contains for the host. */
export interface ReadResult {
  calls: ReadyCall[]
  /** Ids of cancelled calls. */
  cancelled: string[]
  /** Violations of the protocol, calls that are not given, and errors that the provider reports. */
  problems: string[]
}

/** A transport that reads a provider's messages. An event is an SDK's object, a message's text, or its bytes. */
export class MessageTransport<Sent = unknown> extends ToolTransport<Sent> {
  /** Reads a message into `result`. What it throws becomes a problem. */
  protected readMessage(message: Record<string, unknown>, result: ReadResult, isText: boolean): void
  /** Reads the end of a stream, `[DONE]`. */
  protected readEnd(result: ReadResult): void
  /** An event was lost: a message that streams in pieces can't be completed. */
  protected readLoss(result: ReadResult): void
}
