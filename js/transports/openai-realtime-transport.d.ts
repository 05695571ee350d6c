import { type Answer, type TransportOptions } from './transport.js'
import { MessageTransport } from './message-transport.js'
import { type ResponseRequests } from './realtime/response-requests.js'

/** The OpenAI Realtime API, over the events of the `openai` package or raw frames of the socket. */
export class OpenAIRealtimeTransport extends MessageTransport<object[]> {
  /** @param client the `openai` package's `OpenAIRealtimeWS`, a WebSocket, or any object that sends an event as JSON */
  constructor(client: { send(event: any): unknown; readyState?: number }, options?: TransportOptions)
  /**
   * The requests for responses. A host that asks the model itself does it here: the service makes one response at a time.
   */
  get requests(): ResponseRequests
  /**
   * The events that were sent: the output, and `response.create` after the last output of a response. None for a call that is
   * answered, which `problem` says. After the answer to a call that did not come through this transport the model is asked too.
   */
  sendToolResult(answer: Answer): object[]
  sendToolResults(answers: Answer[]): object[]
  /**
   * Replaces the tools of the session, such as with `session.declared('openaiRealtime')` in `onToolsFound`; returns the
   * event that was sent.
   */
  updateTools(declarations: object[]): object
}
