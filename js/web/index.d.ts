/** Tools for pages, and links to confirmations, over web-standard requests and responses: Next.js, Hono, Bun, Deno, or any other server. */
import type {
  Approver,
  ErrorTypeName,
  RegistryOptions,
  Session,
  SessionOptions,
  ShownArguments,
  ToolRegistry,
} from '../../index'

export * from './agent/index'

/** A loaded registry, or a function that loads it. */
export type RegistrySource = ToolRegistry | (() => Promise<ToolRegistry>)

/**
 * The registry of a web app's process: every call in the process returns a function that gives the same one, also after the framework
 * has loaded the app's modules again. It is loaded by the first request. With `NODE_ENV=development` it is watched: a new build takes effect
 * without a restart.
 *
 * A load that fails rejects with its error, and the next request tries again.
 *
 * @param options of `createRegistry`, those of the first call that loads it. `strayErrors` is by default `report`
 */
export function sharedRegistry(options?: RegistryOptions): () => Promise<ToolRegistry>

export interface CapabilityUse {
  toolId: string
  callId: string | null
  turn: number
}

export interface ToolRouteOptions {
  /**
   * The session of the request: authenticate here. An error with a type (a `ToolError`) is answered with its status. The
   * attachment is not exclusive unless the options say so.
   */
  session(request: Request): SessionOptions | Promise<SessionOptions>
  /** Runs before each call; an error refuses it. */
  beforeCall?(session: Session, request: Request): unknown
  /** The tool that the request names; by default the last segment of its path. */
  toolOf?(request: Request): string | Promise<string>
  /**
   * Host names, without port, that the route answers to, beside those of this machine, every address and the hosts of `allowedOrigins`;
   * requests for others get 403, so that no other site's page can let its own name resolve to this server. An app under a public name
   * names it here. Where `allowedOrigins` is a function, and this is not set, the function checks the name. In production without
   * either, the route answers to every name, and one line asks for this option.
   */
  allowedHosts?: readonly string[]
  /**
   * Origins of pages, besides the server's own, as `https://app.example`; or a check of your own, which throws for a page
   * that is not allowed.
   */
  allowedOrigins?: readonly string[] | ((request: Request) => unknown)
  /** Largest body in bytes (default 1 MiB). */
  maxBodyBytes?: number
  /** Fires once for each call that ran, on its final success; never for a replay. */
  onCapabilityUsed?(use: CapabilityUse, request: Request): void
  /** Receives the errors of `session`, of `beforeCall` and of the gate; a Response that it returns is the answer. Default: those that are no refusals are written to the console. */
  onError?(error: unknown, request: Request): Response | void | Promise<Response | void>
}

/**
 * A route for all tools that pages call, `POST …/<tool>` with the arguments as JSON body. Each call goes through the gate
 * in the session of its request, in a turn of its own.
 *
 * - The answer is the ToolResponse without confirmation token, with the HTTP status of its error type.
 * - `Idempotency-Key` makes a call repeatable: the same key and arguments get the stored answer, other arguments
 *   CONFLICT (409).
 * - `Retry-After`, `RateLimit-Policy` and `RateLimit` are set if the answer has limits.
 * - Refused before the gate: another method (405), a page of another origin (403), another content type (415), a body
 *   that is too large (413), a wrong key (400); `{ ok: false, error: { type, message, … } }`.
 * - A call without a key is cancelled when its client goes away.
 *
 * @throws TypeError if `session` is missing or an option is unknown
 */
export function createToolRoute(
  registry: RegistrySource,
  options: ToolRouteOptions,
): (request: Request) => Promise<Response>

/** The confirmation that a link names. */
export interface LinkedConfirmation {
  id: string
  sessionId: string
  /** The principal of the session, as which the route answers. */
  principal: string | null
  tool: string
  /** The mode that asked. */
  mode: string
}

/** The confirmation that a link names, if approvers decide about it. */
export interface ApprovedConfirmation extends LinkedConfirmation {
  approvers: { roles: string[]; count: number }
}

export interface ConfirmationRouteOptions {
  /**
   * What the confirmed call needs of the host: `roles` that its tool requires, `services`, `messaging` and the like. The session
   * itself is that of the confirmation, as its owner; an error refuses the answer.
   */
  session?(
    confirmation: LinkedConfirmation,
    request: Request,
  ): Partial<SessionOptions> | Promise<Partial<SessionOptions>>
  /**
   * Who decides about a call whose tool has `confirmation.approvers`: the person that the host has authenticated, by a cookie or a
   * header of the request, and their roles. The link alone is not enough there: without this option, or with null, 403.
   */
  approver?(
    confirmation: ApprovedConfirmation,
    request: Request,
  ): Approver | null | undefined | Promise<Approver | null | undefined>
  /**
   * Whether who decides may change arguments and grant later calls, as far as the tool allows it (default false: they confirm or
   * deny what was asked).
   */
  changes?: boolean
  /** Origins of pages that decide, besides the server's own, as in `createToolRoute`. Programs send none. */
  allowedOrigins?: readonly string[] | ((request: Request) => unknown)
  /** Receives the errors of `session` and of the gate; a Response that it returns is the answer. Default: those that are no refusals are written to the console. */
  onError?(error: unknown, request: Request): Response | void | Promise<Response | void>
}

/** A field of a server's question, or of an argument. */
export interface LinkField {
  name: string
  title: string
  description?: string
  /** `choice`: one text of `choices`; `choices`: a list of them. */
  type: 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices'
  /** Of a `string`: `email`, `uri`, `date` or `date-time`. */
  format?: string
  choices?: { value: string; title: string }[]
  required: boolean
  default?: unknown
}

/** The JSON answer of the route of links. */
export type LinkAnswer =
  | {
      state: 'pending'
      /** `arguments`: with hidden characters escaped and sensitive values masked. */
      confirmation: {
        id: string
        tool: string
        preview: string
        expires: number
        arguments: ShownArguments['rows']
        /** What a server asks, if this is its question (docs/sources.md): `content` of the answer has their values by name. */
        fields?: LinkField[]
        /** With the option `changes`: the arguments that a form can change, and the widest grant of later calls. */
        changes?: { fields: LinkField[]; grantable?: 'args' | 'tool' }
        /** Who decides, if it is not the session's user, and how many have confirmed. */
        approvers?: { roles: string[]; count: number }
        confirmations?: number
      }
    }
  /** `ok`: whether the confirmed call succeeded. */
  | { state: 'confirmed'; ok: boolean; error?: { type: ErrorTypeName; message: string } }
  | { state: 'denied' }
  /** An approver has confirmed, and `count` of them must. */
  | { state: 'counted'; confirmations: number; count: number }
  /** Nothing has run. */
  | { state: 'refused'; error: { type: ErrorTypeName; message: string } }

/**
 * The route of the links that `registry.confirmationLink` makes. Whoever has a link decides: it is signed, and names one
 * confirmation. Where the tool has approvers, who has a link must be one of them, too (`approver`).
 *
 * - `GET` shows what is asked, and never acts, because messengers follow links; as a page, or as JSON if the request accepts no
 *   HTML.
 * - `POST` decides: `decision=confirm` or `decision=deny`, with a `reason` if there is one, as a form or as JSON
 *   (`{ "decision": "confirm" }`); to confirm a server's question is to answer it, with `content`. With the option `changes`, JSON may
 *   have `args` and `grant` as `session.confirm` takes them. 200: it was decided, and `ok` says whether the confirmed call succeeded.
 *   400 with `ok: false`: the answer does not fit the server's question, which is asked again with a new link.
 * - Refused, and nothing has run: a link that was not made by this installation, or was changed (403), one that has expired or whose
 *   confirmation is not pending (410), a decision of another form (400), method (405), content type (415), a body over 64 KiB (413), and what
 *   the gate refuses, with the status of its error type: then the confirmation is still pending.
 * - The audit line has `via: "link"`.
 *
 * @throws TypeError if an option is unknown
 */
export function createConfirmationRoute(
  registry: RegistrySource,
  options?: ConfirmationRouteOptions,
): (request: Request) => Promise<Response>

/**
 * Refuses what a browser sends on behalf of another site's page, for routes of an app's own. Browsers send the page's origin with every
 * POST; other clients send none and pass. Behind a proxy the public host is `x-forwarded-host`, which a page of another site can't set.
 *
 * @param allowedOrigins besides the server's own, as `https://app.example`
 * @throws an error with `status` 403, `type` `AUTH` and `toResponse()`
 */
export function checkOrigin(request: Pick<Request, 'headers' | 'url'>, allowedOrigins?: readonly string[]): void

/** Who a cookie of `createSessionCookie` stands for. */
export interface CookieUser {
  /** 22 random characters, for the id of a session. */
  id: string
  /** What proves it. Only the cookie has it. */
  secret: string
  /** The principal of the user's sessions: a digest of the secret, useless to a reader of the store. */
  principal: string
}

export interface SessionCookie {
  /** A user who has no cookie yet. */
  create(): CookieUser
  /** Null if the cookie is absent, malformed, or was not issued by this app. */
  read(request: Request): Promise<CookieUser | null>
  /** The value of `set-cookie`, also to renew it: it lives as long as an idle session is kept. */
  header(request: Request, user: CookieUser): Promise<string>
  /** The value of `set-cookie` that removes it. */
  clearing(request: Request): string
}

/**
 * A signed cookie that stands for a user where an app has no authentication, `HttpOnly` and `SameSite=Strict`, over HTTPS with a prefix that
 * binds it to the host. `createAgentRoutes` has one of its own.
 */
export function createSessionCookie(options: {
  registry: ToolRegistry
  /** Signs it. By default a key that the store keeps. */
  secret?: string | Uint8Array
  /** Default `toolgate_session`. */
  name?: string
  /** Default `/`. */
  path?: string
}): SessionCookie
