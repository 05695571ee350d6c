/**
 * A voice call of a page over a WebSocket, with a model of Gemini Live or OpenAI Realtime. The page's socket and the provider's
 * package or socket are given by the host.
 */
import type { Session, SessionOptions } from '../../index'
import type { ToolTransport } from '../transports/transport.js'
import type { RegistrySource } from '../web/index.js'

/** A phrase is an answer only if it is all that the user said; `languages` of {@link CONSENT_LANGUAGES}, or `true` for all of them. */
export type SpokenConsent = boolean | { languages: string[] }

export const CONSENT_LANGUAGES: string[]

/**
 * Classifies an utterance as yes or no, by whole phrases (`yes please`, `don't do it`), whatever their case and punctuation. Null if the
 * option is false, its default.
 *
 * @throws TypeError for an unknown language or another value
 */
export function spokenConsentMatcher(option?: SpokenConsent): null | ((text: string) => 'yes' | 'no' | null)

/** What happens in a call. Each event is sent to the page as a JSON frame, unless `frameOf` makes another one of it. */
export type VoiceEvent =
  /** Audio is taken from now on; earlier audio is dropped. */
  | { type: 'ready' }
  /** The user speaks over the model: stop playing, and drop what was not played. */
  | { type: 'interrupted' }
  /** An utterance of the user, or what the model said in its turn, once it is complete. */
  | { type: 'transcript'; from: 'user' | 'model'; text: string }
  /** `approvers`: they decide in another place, and the page can only deny. `expires`: epoch milliseconds. */
  | {
      type: 'confirmation'
      token: string
      tool: string
      preview: string
      expires: number
      approvers?: { roles: string[]; count: number }
    }
  | { type: 'confirmationClosed'; token: string; outcome: 'confirmed' | 'denied' | 'elsewhere' }
  /** `not_confirmed`: nothing has run, and the confirmation is still pending. `bad_frame`: the page's frame was none of `confirm` and `deny`, or had other
   * members. */
  | { type: 'error'; code: 'not_confirmed'; token: string; message: string }
  | { type: 'error'; code: 'bad_frame' }

/** The page's connection: a `WebSocket` of the package `ws`. */
export interface PageSocket {
  readonly readyState: number
  readonly OPEN: number
  readonly bufferedAmount: number
  on(event: 'message', listener: (data: any, isBinary: boolean) => void): unknown
  on(event: 'close', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  send(data: string | Uint8Array): void
  close(code?: number): void
}

/** What a model's connection gets of the call. */
export interface ModelHost {
  /** For `session.declared(provider)`. */
  session: Session
  /** Takes each message of the provider, in order. */
  onMessage(message: object): void
  /** The conversation can't continue: the page's connection is closed with 1011. */
  onLost(): void
  onError(error: unknown): void
}

/** A connection to a model. Implement it for another provider that speaks and listens. */
export interface ModelConnection {
  readonly transport: ToolTransport
  /** PCM, 16 bit, mono, of the page. */
  sendAudio(bytes: Uint8Array): void
  /** Gives the model a text, on which it continues: the result of a confirmed or background call. */
  sendText(text: string): void
  /** What a message has besides calls. `utterance`: what the user said, once it is complete; `said`: what the model said. Empty if nothing. */
  read(message: object): {
    audio: Uint8Array[]
    utterance: string
    said: string
    isInterrupted: boolean
    isTurnOver: boolean
  }
  close(): void
}

/** Connects a call to a model; rejects if it can't. */
export type VoiceModel = (host: ModelHost) => Promise<ModelConnection>

export interface VoiceCallOptions {
  socket: PageSocket
  /** Options of `createSession`; `mode` is by default `voice`. Authenticate before. A page that comes back gives the same `sessionId`. */
  session: Partial<SessionOptions>
  model: VoiceModel
  /** Whether a spoken yes or no answers the only pending confirmation, once the model has asked. Default false. */
  spokenConsent?: SpokenConsent
  /** The frame that the page gets for an event; null: none. Default: the event. */
  frameOf?(event: VoiceEvent): object | null
  /** Receives the errors of the call. None of them ends it, except those of its start. Default `console.error`. */
  onError?(error: unknown): void
}

/**
 * Serves one call of a page, until the page's connection closes; never rejects for what happens in the call.
 *
 * - Binary frames are audio in both directions: PCM, 16 bit, mono (Gemini takes 16 kHz, OpenAI 24 kHz; both send 24 kHz).
 * - The page gets a {@link VoiceEvent} as a text frame, and sends `{ type: 'confirm' | 'deny', token }`.
 * - The user speaks over the model: the page gets `interrupted`, reads stop, a write that has begun ends.
 * - A confirmation is answered by the page, by voice (`spokenConsent`), or in another place on the same session, of which the call
 *   learns within a second. The model gets the result as a text. What an approval did not run stays pending.
 * - A page that comes back with the same session gets the pending confirmations again. Results of background calls wait for it.
 * - If the session or the model can't be opened, or the conversation is lost, the page's connection is closed with 1011; a page that
 *   does not read what it gets, with 1013.
 *
 * @throws TypeError (as a rejection) if `model` is missing or an option is unknown
 */
export function serveVoiceCall(registry: RegistrySource, options: VoiceCallOptions): Promise<void>

/** The part of `GoogleGenAI` that is used. */
export interface GeminiClient {
  live: { connect(parameters: any): Promise<any> }
}

export interface GeminiLiveOptions {
  /** Name of a Live model. */
  model: string
  /** Further members of the SDK's LiveConnectConfig, such as `systemInstruction` and `speechConfig`. */
  config?: object
}

/**
 * A model of Gemini Live. When the service ends the connection (`goAway`), or it breaks, the conversation continues on a new one; results of
 * running calls are delivered there, once.
 *
 * @param ai of `@google/genai`, with the key
 */
export function geminiLive(ai: GeminiClient, options: GeminiLiveOptions): VoiceModel

/** The provider's connection: a `WebSocket` of the package `ws`, or of the runtime. */
export interface ModelSocket {
  readonly readyState: number
  addEventListener(event: string, listener: (event: any) => void): unknown
  send(data: string): unknown
  close(): unknown
}

export interface OpenAIRealtimeOptions {
  /** Further members of the session of `session.update`, such as `instructions`; `audio` replaces the formats and the transcription. */
  session?: object
}

/**
 * A model of OpenAI Realtime. A connection that is lost ends the call, because the service resumes no conversation: the page calls again with the
 * same session.
 *
 * @param connect opens a WebSocket to `wss://api.openai.com/v1/realtime?model=…`, with the key
 */
export function openaiRealtime(connect: () => ModelSocket, options?: OpenAIRealtimeOptions): VoiceModel
