// Tools in one file.

import type { HandlerContext, HandlerResult, JsonValue, PendingCompletion, RepairSetting, ToolMetadata } from '../index'
import type { ReconcileAnswer, ReconcileQuestion } from './handler-context'

/** A schema of any library with the Standard Schema interface (standardschema.dev): Zod 4, Valibot, ArkType, Effect. */
export interface StandardSchemaLike<Output = unknown, Input = unknown> {
  readonly '~standard': { readonly types?: { readonly input: Input; readonly output: Output } | undefined }
}

/** A validator that TypeBox has compiled, 0.x or 1.x; only 1.x says what `Decode` returns. */
export interface CompiledTypeBoxLike<Output = unknown> {
  Check(value: any): boolean
  Decode(value: any): Output
  Errors(value: any): Iterable<{ message: string }>
}

/** The arguments that a handler gets: the output of a library's schema, with its defaults and transforms. */
export type ArgsOf<Schema> =
  Schema extends StandardSchemaLike<infer Output>
    ? Output
    : Schema extends CompiledTypeBoxLike<infer Output>
      ? unknown extends Output
        ? Record<string, any>
        : Output
      : Record<string, any>

/** The data that `execute` returns: what a library's `resultSchema` takes, as it is written; else whatever the handler returns. */
export type DataOf<Result, Data> = Result extends StandardSchemaLike<any, infer Input> ? Input : Data

/** The fields of a tool; those that are optional have the defaults of {@link defineTool}. */
export interface ToolDefinition<Schema, Data = unknown, Result = unknown> extends Partial<
  Pick<
    ToolMetadata,
    'title' | 'version' | 'category' | 'idempotent' | 'requiresConfirmation' | 'allowedModes' | 'latencyBudgetMs'
  >
> {
  /** By default the name of the folder. */
  toolId?: string
  /** For the model: what the tool does, and when to use it. */
  description: string
  sideEffects: ToolMetadata['sideEffects']
  /**
   * A schema of a library, or JSON Schema. The gate validates by the JSON Schema; then the library's schema runs, and `execute`
   * gets its output.
   */
  parameters: Schema
  /** A schema of a library, or JSON Schema, for `data` of the result. One of a library types what `execute` returns. */
  resultSchema?: Result & object
  /** Milliseconds, `false` for none. */
  timeoutMs?: number | false
  /**
   * For hosts that take results: the caller is answered early after so many milliseconds, with `true` at once, and the result is
   * delivered later.
   */
  background?: boolean | { afterMs: number }
  /** Names of services, which `execute` gets as `services`. */
  requires?: string[]
  requiredRoles?: string[]
  parallel?: boolean
  /**
   * Whether an equal call of a turn runs again once the call before was answered, such as a poll of a status. Not for tools
   * that write, nor with `cache`.
   */
  repeatable?: boolean
  /** By which rules nearly right arguments of this tool are repaired; default: all that the registry and the mode allow. */
  repair?: RepairSetting
  /**
   * Which call under a new id is the same act as an earlier one, and what becomes of it; `false`: none. Default: for a tool that
   * writes and is not idempotent, an equal call of the turn within two minutes, about which the user is asked; else none.
   */
  duplicate?: false | DuplicateRule
  /** Whether a session with `toolSearch: 'gate'` or `'provider'` declares this tool from the start. */
  alwaysDeclared?: boolean
  confirmation?: {
    preview?: string
    when?: object
    /** How long it can be answered: 5 minutes by default, a day with `approvers`. */
    ttlMs?: number
    grantable?: false | 'args' | 'tool'
    /** Who confirms in place of who asks: `count` (1) other principals, each with one of the roles. */
    approvers?: { roles: string[]; count?: number }
  }
  /**
   * Rules over date-times in the arguments, checked before the user is asked: `after` maps an argument to the one that it
   * must be later than, `notPast` lists those that must not be in the past.
   */
  timeRules?: { after?: Record<string, string>; notPast?: string[] }
  /** Acknowledged findings and losses, as in `schema.json`. */
  lintAccepted?: string[]
  loweringAccepted?: string[]
  /** Example arguments, for the guide and for providers that support examples. */
  examples?: JsonValue[]
  /** By mode, the largest value of a numeric argument. */
  clamp?: Record<string, Record<string, number>>
  resultLimitBytes?: number
  retry?: object
  cache?: object
  /**
   * Calls within a sliding window: those of a session, or of all sessions of its principal (`per: 'principal'`). A session
   * without a principal counts its own.
   */
  rateLimit?: { calls: number; windowMs: number; per?: 'session' | 'principal' }
  execute(
    context: HandlerContext<ArgsOf<Schema>>,
  ):
    | HandlerResult<DataOf<Result, Data>>
    | PendingCompletion
    | Promise<HandlerResult<DataOf<Result, Data>> | PendingCompletion>
  /** Finds out what a call has done whose outcome is not known, as `reconcile` of a handler module does. */
  reconcile?(
    question: ReconcileQuestion<ArgsOf<Schema>>,
  ): ReconcileAnswer<DataOf<Result, Data>> | Promise<ReconcileAnswer<DataOf<Result, Data>>>
}

/** When a call is a duplicate of an earlier one, and what becomes of it. */
export interface DuplicateRule {
  /** JSON Pointers of the arguments that make two calls the same act, such as `/order_id`; by default all. */
  key?: string[]
  /** How long after an act an equal call is its duplicate; by default two minutes, at most a day. */
  windowMs?: number
  /** Where equal calls are looked for (default `session`; a tool without `duplicate` that acts again for each call has `turn`). */
  scope?: 'turn' | 'session' | 'principal'
  /** What becomes of a duplicate (default `ask`; `refuse` where the user can't be asked). */
  on?: 'ask' | 'replay' | 'refuse'
}

/**
 * Defines a tool in one file, `tools/<tool>/tool.ts` or `tool.js`, as its default export. `toolgate build` compiles it to
 * the same tool set as the folder layout.
 *
 * Defaults: `version` `0.1.0`; `category` `action` if the tool writes, else `utility`; `idempotent` false and
 * `requiresConfirmation` true if it writes; `allowedModes` text and voice; `latencyBudgetMs` 1000.
 * @throws {TypeError} if `execute`, `sideEffects` or `parameters` is missing
 */
export function defineTool<const Schema, Data, Result = unknown>(
  definition: ToolDefinition<Schema, Data, Result>,
): Readonly<ToolDefinition<Schema, Data, Result>>
