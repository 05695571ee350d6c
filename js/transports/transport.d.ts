import type { ToolCall, ToolResponse } from '../../index.js'

/** An answer to a call, `id` and `name` as `receiveToolCalls` gave them. */
export interface Answer {
  id: string | null
  name: string
  result: ToolResponse
}

/**
 * Turns a provider's frames into calls, and answers into its frames. No policy. A frame that is not understood gives no
 * calls; reading never throws.
 */
export class ToolTransport<Sent = unknown> {
  /** What was wrong with the frame that was read last, for the host's log; `null` if nothing was. */
  readonly problem: string | null
  receiveToolCalls(event: unknown): (ToolCall & { id: string })[]
  receiveCancellations(event: unknown): string[]
  /** Sends the full ToolResponse, without its confirmation token. */
  sendToolResult(answer: Answer): Sent
  /** The answers of one provider message together, where the protocol can. */
  sendToolResults(answers: Answer[]): Sent | Sent[]
}
