import type { ModelMeta, ToolCall, ToolResponse } from '../../index.js'

/** An answer to a call, with `id` and `name` from `receiveToolCalls`. */
export interface Answer {
  id: string | null
  name: string
  result: ToolResponse
}

/** What a model gets of each answer: `full` (default) sends the whole ToolResponse. */
export interface TransportOptions {
  meta?: ModelMeta
}

/** A call that is ready to run. */
export type ReadyCall = ToolCall & { id: string }

/**
 * Converts a provider's frames to calls, and answers to its frames. Applies no policy. An unknown frame contains no
 * calls; reading never throws.
 */
export class ToolTransport<Sent = unknown> {
  /** The fault of the frame that was read last, for the host's log; `null` if there is none. */
  get problem(): string | null
  receiveToolCalls(event: unknown): ReadyCall[]
  /**
   * The calls that a message still has when its stream is over: for a loop over an SDK's iterator, which ends without an event. Harmless
   * if nothing waits.
   */
  end(): ReadyCall[]
  receiveCancellations(event: unknown): string[]
  /** Sends the full ToolResponse, or the lean one if the host chose it; never its confirmation token. */
  sendToolResult(answer: Answer): Sent
  /** Sends the answers of one provider message, together if the protocol supports it. */
  sendToolResults(answers: Answer[]): Sent | Sent[]
}
