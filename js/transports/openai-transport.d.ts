import { type Answer, ToolTransport } from './transport.js'

/** A `tool` message of Chat Completions: its content is the full ToolResponse as JSON text. */
export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** OpenAI Chat Completions, streamed or not. */
export class OpenAITransport extends ToolTransport<ToolMessage> {
  constructor(client?: unknown, conversationId?: string | null)
  /** The model's message with the calls, for the next request to repeat before the answers. */
  readonly assistantMessage: Record<string, unknown> | null
  sendToolResult(answer: Answer): ToolMessage
  sendToolResults(answers: Answer[]): ToolMessage[]
}
