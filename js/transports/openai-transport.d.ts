import { type Answer, type TransportOptions } from './transport.js'
import { WireTransport } from './wire-transport.js'

/** A `tool` message of Chat Completions: its content is the full ToolResponse as JSON text. */
export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** An input item of Responses: its output is the full ToolResponse as JSON text. */
export interface FunctionCallOutput {
  type: 'function_call_output'
  call_id: string
  output: string
}

/** OpenAI Chat Completions and Responses, streamed or not. A call is answered in the API that it came from. */
export class OpenAITransport extends WireTransport<ToolMessage | FunctionCallOutput> {
  /**
   * A client with `sendMessage(conversationId, message)` sends the answers: `await` the result if it is asynchronous. With
   * another client the answers are only returned; a conversation id then gives one `TOOLGATE_ANSWER_NOT_SENT` warning of
   * the process.
   */
  constructor(client?: unknown, conversationId?: string | null, options?: TransportOptions)
  /** Chat Completions: the model's message with the calls, which the next request must repeat before the answers. */
  readonly assistantMessage: Record<string, unknown> | null
  sendToolResult(answer: Answer): ToolMessage | FunctionCallOutput
  sendToolResults(answers: Answer[]): (ToolMessage | FunctionCallOutput)[]
}
