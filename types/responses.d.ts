// The contract's values: responses, errors, intents.

import type { RepairRule } from './repair'

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

export type ErrorTypeName =
  | 'VALIDATION'
  | 'NOT_FOUND'
  | 'MODE_RESTRICTED'
  | 'BUDGET_EXCEEDED'
  | 'LOOP_DETECTED'
  | 'CONFIRMATION_REQUIRED'
  | 'CONFIRMATION_EXPIRED'
  | 'AUTH'
  | 'RATE_LIMIT'
  | 'SESSION_INACTIVE'
  | 'SESSION_ACTIVE'
  | 'CONFLICT'
  | 'TRANSIENT'
  | 'PERMANENT'
  | 'CANCELLED'
  | 'INTERNAL'

/** One finding of a VALIDATION error, in the shape of Ajv's error objects. */
export interface ValidationIssue {
  /** JSON Pointer (RFC 6901) into the arguments; `""` is the whole. */
  instancePath: string
  /** JSON Pointer into the schema. */
  schemaPath: string
  keyword: string
  params: Record<string, JsonValue>
  message: string
}

/** The question of a call that needs a user's consent. The token goes to the host, never to the model. */
export interface ConfirmationRequest {
  token?: string
  /** Epoch milliseconds. */
  expires: number
  tool: string
  /** The final arguments, with `***` in place of `x-sensitive` values. A confirmation runs exactly these, unmasked. */
  args: Record<string, JsonValue>
  /** The tool's `confirmation.preview`; without one, its title and a line for each argument. */
  preview: string
  /** Who confirms in place of who asks: `count` other principals, each with one of the roles. */
  approvers?: { roles: string[]; count: number }
}

/**
 * Arguments as a table: a row for each value, in the schema's order. Sensitive values are `***`; hidden characters, such as
 * controls and line breaks, are escaped.
 */
export interface ShownArguments {
  /**
   * `name`: the names and indexes that lead to the value, joined by `.`. `title`: the one of the value's schema, if it has
   * one. `short`: a long value's beginning and length.
   */
  rows: { name: string; title?: string; value: string; short?: string }[]
  /** A line for each row, with shortened values. */
  text: string
  /** The arguments in their form, with sensitive values masked. Characters are as they were sent: a page shows the rows. */
  args: JsonValue
}

/**
 * The characters that {@link ShownArguments} and previews have escaped, as the source of a regular expression with the
 * flag `u`: for pages that show foreign text themselves.
 */
export function hiddenCharacters(): string

export interface ToolResponseError {
  type: ErrorTypeName
  /** Written for the model: the fault, its position, the correction. */
  message: string
  retryable: boolean
  partialSideEffects: boolean
  details?: JsonValue
  suggestion?: string
  retryAfterMs?: number
  idempotencyRequired?: boolean
  confirmation_request?: ConfirmationRequest
}

export type Intent =
  | { type: 'END_VOICE_SESSION'; after?: 'current_turn' | 'farewell_spoken' | 'immediately' }
  | { type: 'SUPPRESS_AUDIO'; value: boolean }
  | { type: 'SUPPRESS_TRANSCRIPT'; value: boolean }
  | { type: 'SET_PENDING_MESSAGE'; message: string }

export interface ToolResponseMeta {
  toolId: string
  /** `null` on NOT_FOUND. */
  toolVersion: string | null
  registryVersion: string
  /** Milliseconds from the call's arrival to its answer. */
  duration: number
  /** ISO 8601, UTC. */
  timestamp: string
  responseSchemaVersion: '1.0.0'
  callId?: string
  mode?: string
  turn?: number
  attempts?: number
  idempotencyKey?: string
  parentCallId?: string
  /** The call still runs: its result comes by `session.results()`. */
  pending?: true
  cached?: boolean
  /** The answer is a replay, nothing ran; `_original_turn` is the turn of the original call. */
  _idempotent_cache_hit?: boolean
  _original_turn?: number
  /** Arguments lowered to the mode's largest value. */
  clamped?: { path: string; from: number; to: number }[]
  /** JSON Pointers of arguments that were filled: with their defaults, or by the schema library of a call that is asked about. */
  defaulted?: string[]
  /**
   * Values that were read in another way than the model sent them, because exactly one reading fits: where (a JSON Pointer,
   * empty for the whole arguments and the tool's name), and by which rule. A replay says what the first call did.
   */
  repaired?: { path: string; rule: RepairRule }[]
  /**
   * The arguments that the user changed before confirming the call, with the values that ran: masked if sensitive, absent if
   * removed or long. The path of all arguments, empty, if more than 50 are changed.
   */
  edited?: { path: string; value?: unknown }[]
  /** The grant by which the call ran without a question. A replay says that of the first call. */
  grant?: string
  /**
   * What the tool has found out about an earlier call of unknown outcome: `happened`: this is that call's result, or says that it
   * is done; `not_happened`: it had no effect, and this call ran, or could; `unknown`: nothing.
   */
  reconciled?: ReconcileOutcome
  /** The parts of `data` left out for the model (`toUiResponse` returns all); `more`: the number of unlisted parts. */
  truncated?: {
    limitBytes: number
    originalBytes: number
    dropped: string[]
    shortened: { path: string; kept: number; of: number }[]
    more?: number
  }
  warnings?: string[]
}

export type ToolResponse<T = any> =
  | { ok: true; data?: T; intents: Intent[]; meta: ToolResponseMeta }
  | { ok: false; error: ToolResponseError; intents: Intent[]; meta: ToolResponseMeta }

export const TOOL_RESPONSE_SCHEMA_VERSION: '1.0.0'
/** The JSON Schema (draft 2020-12) of {@link ToolResponse}. */
export const toolResponseSchema: Record<string, JsonValue>
/**
 * Returns true, or throws a TypeError that names the fault. Without `strict`, `value` is what a handler returns: `intents`,
 * `meta`, and `retryable` and `partialSideEffects` of an error may be absent. With `strict`, it is an answer of the gate,
 * as it is sent.
 */
export function validateToolResponse(value: unknown, options?: { strict?: boolean }): true

/** The error types, each equal to its name. */
export const ErrorType: { readonly [K in ErrorTypeName]: K }
export const IntentType: { readonly [K in Intent['type']]: K }
/** The HTTP status that fits an error type; 500 for an unknown one. */
export function httpStatus(type: string): number

export interface ToolErrorOptions {
  retryable?: boolean
  partialSideEffects?: boolean
  idempotencyRequired?: boolean
  details?: JsonValue
  suggestion?: string
  retryAfterMs?: number
  /** In seconds; `retryAfterMs` is taken first. */
  retryAfter?: number
  cause?: unknown
}
/** A handler's error with a known type. */
export class ToolError extends Error {
  constructor(type: ErrorTypeName, message: string, options?: ToolErrorOptions)
  readonly type: ErrorTypeName
  readonly retryable: boolean
  readonly partialSideEffects: boolean
  readonly idempotencyRequired?: boolean
  readonly details?: JsonValue
  readonly suggestion?: string
  readonly retryAfterMs?: number
  /** The `error` of a handler's result: `return { ok: false, error }`. */
  toJSON(): { type: ErrorTypeName; message: string } & Omit<ToolErrorOptions, 'cause' | 'retryAfter'>
}

/** The result of a handler; the gate adds `meta` and `intents: []`. */
export type HandlerResult<T = unknown> =
  | ({ ok: true; data?: T } & BesideResult)
  | ({ ok: false; error: { type: ErrorTypeName; message: string } & ToolErrorOptions } & BesideResult)

interface BesideResult {
  intents?: Intent[]
  /** `warnings`: for the model and the host, in `meta.warnings` of the answer; the first 10, of 200 characters each. The rest of `meta` is the gate's. */
  meta?: { warnings?: string[] }
}

export function success<T>(data?: T, options?: { intents?: Intent[]; warnings?: string[] }): HandlerResult<T>
export function failure(
  type: ErrorTypeName,
  message: string,
  options?: ToolErrorOptions & { intents?: Intent[]; warnings?: string[] },
): Extract<HandlerResult<never>, { ok: false }>

/** What a tool has found out about a call of unknown outcome. */
export type ReconcileOutcome = 'happened' | 'not_happened' | 'unknown'

/** What `registry.reconcile` has found out. */
export interface ReconcileReport {
  happened: number
  notHappened: number
  unknown: number
  calls: {
    sessionId: string
    toolId: string
    callId: string | null
    /** Epoch milliseconds. */
    startedAt: number
    idempotencyKey: string
    outcome: ReconcileOutcome
  }[]
  /** Whether the search ended at its limit, or early because the store failed. */
  more: boolean
}
