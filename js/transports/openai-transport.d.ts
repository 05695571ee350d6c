import { type Answer, type TransportOptions } from './transport.js'
import { MessageTransport } from './message-transport.js'

/** A `tool` message of Chat Completions: its content is the full ToolResponse as JSON text. */
export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** The answer to a legacy `function_call` of Chat Completions. */
export interface FunctionMessage {
  role: 'function'
  name: string
  content: string
}

/** An input item of Responses: its output is the full ToolResponse as JSON text. */
export interface FunctionCallOutput {
  type: 'function_call_output'
  call_id: string
  output: string
}

/** OpenAI Chat Completions and Responses, streamed or not. A call is answered in the API that it came from. */
export class OpenAITransport extends MessageTransport<ToolMessage | FunctionMessage | FunctionCallOutput | null> {
  /**
   * A client with `sendMessage(conversationId, message)` sends the answers: `await` the result if it is asynchronous. With
   * another client the answers are only returned; a conversation id then gives one `TOOLGATE_ANSWER_NOT_SENT` warning of
   * the process.
   */
  constructor(client?: unknown, conversationId?: string | null, options?: TransportOptions)
  /**
   * What the next request must repeat before the answers to the last calls; `null` before there were calls. Of Chat Completions it is the
   * assistant message: text, calls, and what the server wants back, such as signatures and reasoning. Of Responses it is the
   * list of output items, for a conversation that the API does not keep (`store: false`). A name that the API would refuse
   * and arguments that are no JSON object are replaced; the answers still match.
   */
  get assistantMessage(): Record<string, unknown> | Record<string, unknown>[] | null
  /**
   * What to append to the conversation; `null` for an `async` call of Responses (see `withAsync`) that still runs: it is answered once it
   * has a result, in any later request.
   */
  sendToolResult(answer: Answer): ToolMessage | FunctionMessage | FunctionCallOutput | null
  sendToolResults(answers: Answer[]): (ToolMessage | FunctionMessage | FunctionCallOutput)[]
}
