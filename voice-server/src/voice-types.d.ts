// Types that several modules of the voice server share.

import type { ConfirmOptions, ConfirmationRequest, ModelMeta, ToolMetadata, ToolResponse } from 'toolgate'
import type { HeldResult } from 'toolgate'
import type { Answer as SentAnswer, ReadyCall, ToolTransport } from 'toolgate/transports/transport.js'
import type { Logger } from '../server.js'
import type { ProviderLink } from './providers/provider-link.js'

export type { ReadyCall }
export type {
  ClientFrame,
  ConfirmationFrame,
  ErrorCode,
  ErrorFrame,
  ServerFrame,
  ToolResultFrame,
  TranscriptFrame,
} from '../frames.js'
export type { Delegate, DelegatedAnswer, DelegatedWork, Log, Logger, ReadAloud } from '../server.js'

/** `held`: its result, which the gate offers to another connection until it is accepted. */
export type Answer = SentAnswer & { held?: HeldResult }

/** Foreign JSON. `any`, because its members have no guaranteed type; the code that reads one checks it. */
export type JsonObject = Record<string, any>

/** A JSON event for a provider. */
export interface Frame {
  type: string
  [member: string]: unknown
}

/** What an approval changes and grants. */
export type Wishes = Pick<ConfirmOptions, 'args' | 'grant'>

/** The metadata of a tool; null for an unknown one. */
export type MetadataOf = (toolId: string) => ToolMetadata | null

/** Runs `act` and handles its errors. */
export type Guarded = (act: () => unknown) => unknown

/** A question of the gate, with the id of the call that asked it if that is known. */
export type Question = ConfirmationRequest & {
  token: string
  callId?: string | null
  confirmations?: number
  /** A handler has made the call, and waits for the answer. */
  isNested?: boolean
}

/** PCM16, 24 kHz, mono; `item`: the provider's id for `truncate`. */
export interface Sound {
  pcm: Buffer
  item: string | null
}

/** An item of the model's audio, and how much of it was heard. */
export interface Cut {
  item: string
  heardMs: number
  totalMs: number
}

/** A transport whose calls may wait for a further message, and whose answers for another connection. */
export type VoiceTransport = ToolTransport & {
  holdsCalls?: boolean
  releaseHeldCalls?(): ReadyCall[]
  /** The connection was lost: answers wait. */
  detach?(): void
  /** Work that the model hands to the host. */
  receiveDelegations?(event: unknown): { id: string; transcript: string }[]
  /** The user's words of such work, as far as they are transcribed. */
  transcriptOf?(id: string): string
}

/** A connection of the provider, as what a call came on and what awaits its answer. */
export interface Channel {
  transport: VoiceTransport
}

export interface LinkOptions<Handle = unknown> {
  /** Of an earlier conversation to resume, or `null`. */
  handle: Handle | null
  /** Of an earlier conversation, for a link whose service keeps the conversation itself. */
  memory?: import('./providers/conversation-memory.js').ConversationMemory
  connectTimeoutMs: number
  /** Interval of pings of the connection. */
  pingMs: number
  /** What the model gets of an answer. */
  meta: ModelMeta
  onMessage: (message: object) => void
  onReconnected: () => void
  /** The conversation is over: its connection was lost and not restored. */
  onLost: (reason: string) => void
  /** Whether calls run, or the host works for the model. */
  isBusy?: () => boolean
  logger: Logger
}

/** The options that a conversation gives; the server adds the others. `session`: whose tools are declared; `timeZone`: of the user. */
export type ConversationEvents = Pick<LinkOptions, 'handle' | 'memory' | 'onMessage' | 'onReconnected' | 'onLost'> & {
  session: import('toolgate').Session
  timeZone?: string
  isBusy: () => boolean
}

/** What a connection of a link reports. */
export interface ConnectionEvents {
  onMessage(message: object): void
  onClosed(reason: string): void
  onBadFrame(problem: string): void
}

/** The members that a subclass of ProviderLink has. */
export interface LinkProtocol<Connection = unknown, Transport = VoiceTransport, Handle = unknown> {
  provider: string
  /** Whether a resumed conversation gets its transcript again. */
  isSeeded: boolean
  readonly inputMs: number
  readonly isUserSpeaking: boolean
  readonly unsentBytes: number
  /** When the user last made a sound, by the clock of `performance.now`. */
  readonly lastSpeechAt: number
  /** Resolves once the model listens. */
  connect(handle: Handle | null, events: ConnectionEvents): Promise<Connection>
  disconnect(connection: Connection): void
  /** `earlier`: of the conversation that the connection resumes, if there is one. */
  makeTransport(connection: Connection, earlier: Transport | null): Transport
  /** Text of the user: requests an answer. */
  writeText(texts: string[]): string[] | void
  /** Note of the server: requests an answer. Returns the keys of its receipts. */
  writeNote(note: string): string[]
  /** Adds a note that was heard to what a resumed conversation must contain. */
  rememberNote(note: string): void
  /** Answers calls of this connection. Returns the keys under which the provider acknowledges them, none if it does not. */
  sendAnswers(answers: (Answer & { scheduling?: 'WHEN_IDLE' | 'SILENT' })[]): string[]
  /** Whether the connection waits for the result of a call that was answered as running. */
  awaits(answer: Answer): boolean
  /** The model is about to get a question, alone: its next response says the read-back, if the provider can do so. */
  prepareReadBack(readBack: string): void
  /**
   * Has a question said: again, or for the first time if the link is duplex. Returns the keys of its receipts if the question must be
   * asked again without them.
   */
  askAgain(readBack: string): string[] | void
  /**
   * The model listens while it speaks: it stops by itself, speech ends no work, and the server asks its questions itself, at rest.
   */
  isDuplex?: boolean
  /** Whether another model works on an answer, which may take long. */
  readonly isBackendWorking?: boolean
  /** What both sides have said last, of a model that has the host work for it. */
  readonly heardLines?: { role: 'user' | 'assistant'; text: string }[]
  /** Answers work of the host. Returns the keys of its receipts, `null` if the connection does not wait for the answer. */
  answerDelegation?(id: string, texts: { commentary?: string; thinking?: string }): string[] | null
  /** Whether the model speaks about a context, too. */
  readonly speaksContext?: boolean
  /** Context that requests no answer. */
  sendContext(text: string): void
  /** PCM16, 16 kHz, mono. */
  sendAudio(pcm: Buffer): void
  sendAudioEnd(): void
  read(message: object): import('./providers/provider-link.js').ParsedMessage
  /** Whether the link itself stopped the model for new input of the user. */
  bargeIn(): boolean
  /** Reports which audio of the model was not heard. */
  truncate(cuts: Cut[]): void
  /** Gives an answer without an interruption. Returns the keys of its receipts, `null` if the model cannot get it so. */
  answerLate(answer: Answer): string[] | null
  /** Ends a call that changed nothing and whose turn is over. */
  answerCancelled(answer: Answer): void
  /** The calls that can now run together. */
  collectCalls(calls: ReadyCall[], message: object): ReadyCall[]
  /** Requests the answer that a lost connection took with it. */
  requestAnswer(): void
  /** Requests an answer that failed. */
  requestAnswerAgain(): void
  /** Requests the answer of a resumed conversation that has its transcript; a link that is not seeded has none. */
  requestSeededAnswer?(): void
  /** What a new conversation begins with if the service has forgotten the earlier one. */
  memory?: import('./providers/conversation-memory.js').ConversationMemory
  /** Begins a new conversation with what was said in the earlier one; a link that is seeded has none. */
  sendHistory?(): void
  /** Adds an entry that a resumed conversation must contain. */
  remember(entry: string): void
}

/** A link of any provider. */
export type VoiceLink = ProviderLink<any, VoiceTransport, any, LinkOptions> & LinkProtocol

/** What an earlier connection of a session left. */
export interface EarlierState {
  /** Opaque, of the provider link. */
  handle: unknown
  turnOpen: boolean
  /** What was said, for a service that keeps the conversation itself and may have forgotten it. */
  memory?: import('./providers/conversation-memory.js').ConversationMemory
  queue: import('./delivery/delivery-queue.js').DeliveryQueue
  latencies: import('./conversation/filler.js').LatencyHistory
  /** Its connection to the model has closed: the service may refuse a second one. */
  whenLeft?: Promise<void>
}

/** Ends of calls, with the response of the gate. */
export type Outcome = { call: ReadyCall; response: ToolResponse }
