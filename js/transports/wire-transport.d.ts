import { type ReadyCall, ToolTransport } from './transport.js'

/** A call as the core read it: its arguments are JSON text. */
export interface WireCall {
  id: string
  name: string
  args: string
}

/** What the core read from a frame. */
export interface FrameResult {
  calls: ReadyCall[]
  cancelled: string[]
  problems: string[]
  /** Whether the model must be asked to continue. */
  asksModel?: boolean
  /** Anthropic: the blocks of the model's message. */
  blocks?: Record<string, unknown>[]
  /** Chat Completions: the model's message. */
  message?: { content: unknown }
}

/** A transport whose frames the core reads. An event is an SDK's object, a frame's text, or its bytes. */
export class WireTransport<Sent = unknown> extends ToolTransport<Sent> {
  /** @param reader of the core */
  constructor(reader: { read(frame: string | Buffer): string | null })
  /** Called after a frame was read, for subclasses. May throw: the error becomes a problem. */
  protected onFrameRead(result: FrameResult): void
  /**
   * The JSON text of an SDK's object. A subclass may leave out members that the core does not need, and return null if
   * nothing is left.
   */
  protected toText(event: object): string | null | undefined
}
