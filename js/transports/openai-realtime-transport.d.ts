import { type Answer, type TransportOptions } from './transport.js'
import { WireTransport } from './wire-transport.js'

/** The OpenAI Realtime API, over the events of the `openai` package or raw frames of the socket. */
export class OpenAIRealtimeTransport extends WireTransport<object[]> {
  constructor(client: { send(event: any): unknown }, options?: TransportOptions)
  /** The events that were sent: the output, and `response.create` after the last output of a response. */
  sendToolResult(answer: Answer): object[]
  sendToolResults(answers: Answer[]): object[]
  /**
   * Replaces the tools of the session, such as with `session.declared('openaiRealtime')` in `onToolsFound`; returns the
   * event that was sent.
   */
  updateTools(declarations: object[]): object
}
