import { type Answer, type TransportOptions } from './transport.js'
import { MessageTransport } from './message-transport.js'

/** A `tool_result` block; its content is the full ToolResponse as JSON text. */
export interface ToolResultBlock {
  type: 'tool_result'
  tool_use_id: string
  content: string
  is_error: boolean
}

/** All results of one message of the model. */
export interface ToolResultsMessage {
  role: 'user'
  content: ToolResultBlock[]
}

/** Anthropic's Messages API, streamed or not. */
export class AnthropicTransport extends MessageTransport<ToolResultsMessage | null> {
  constructor(options?: TransportOptions)
  /**
   * The model's message with the calls, which the next request must repeat before their results: texts, thinking with
   * signatures, calls. A call without a result is left out. Input that is no JSON object is `{}`, and a name that the API would
   * refuse is replaced; the call's result reports it.
   */
  get assistantMessage(): { role: 'assistant'; content: Record<string, unknown>[] } | null
  /** The user message, when the last call of the model's message is answered; `null` before and after. */
  sendToolResult(answer: Answer): ToolResultsMessage | null
  /** The user messages that are complete with these answers. */
  sendToolResults(answers: Answer[]): ToolResultsMessage[]
}
