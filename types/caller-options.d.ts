// Options of a call, and of the answer to a question.

/** The caller of one call. */
export interface CallerOptions {
  /**
   * Aborted when this caller no longer needs the answer: it gets CANCELLED. Other callers of the same call, and other
   * calls under the same id, go on. With a signal that is aborted already, nothing runs.
   */
  signal?: AbortSignal | null
  /** The reason in the answer and in the audit. Default: `the request was aborted`. */
  reason?: string
}

/** How a user's answer to a question came. */
export interface AnswerOptions {
  /**
   * The way, for the audit: `page`, `key`, `speech`, `link`, the name of an adapter (`ai-sdk`, `mcp`), or a word of the host's;
   * at most 64 characters.
   */
  via?: string
}

/** Who answers a confirmation in place of the user who asks, where its tool has `confirmation.approvers`. */
export interface Approver {
  /** The principal, which must be another one than the session's. */
  principal: string
  /** The roles that it holds. */
  roles: readonly string[]
}

/** How a confirmation is answered. */
export interface DecisionOptions extends AnswerOptions {
  /**
   * Who answers, from the host's own authentication: never from the body of a request, nor from a link. One who may not answer is
   * refused with AUTH, and the confirmation stays pending. Without it the session's user answers.
   */
  approver?: Approver
}

/** How a user confirms a call. */
export interface ConfirmOptions extends CallerOptions, DecisionOptions {
  /**
   * The arguments that the user wants instead of those that were shown, whole. What is left as it was shown, a masked value too,
   * stays as it was; a sensitive value can't be changed. They pass the checks of a new call, budgets aside. If one refuses them,
   * nothing runs, and the confirmation stays pending. Of several approvers, none can change them.
   */
  args?: Record<string, unknown>
  /**
   * What the user grants for later calls of the model. One that the tool does not allow (`confirmation.grantable`), or that is out
   * of bounds, is VALIDATION: nothing runs, and the confirmation stays pending.
   */
  grant?: NewGrant
  /**
   * With `confirm(call)`: the token of the question that the user was shown, as `ask` and `execute` gave it. Only this question is
   * answered then; otherwise only the first one that the call's id was given.
   */
  token?: string
}

/** Which later calls run without a question. */
export interface NewGrant {
  /** `args`: those with the arguments that run now; `tool`: those with any arguments. */
  scope: 'args' | 'tool'
  /** How many, from 1 to 100. */
  calls: number
  /** For how long, in milliseconds; at most a day. */
  ttlMs: number
}

/** A grant that has not ended. */
export interface Grant {
  /** The name, for `revoke`; `meta.grant` of the calls that ran by it. */
  id: string
  tool: string
  /** The version of the tool: a call of another one is asked about. */
  toolVersion: string
  scope: 'args' | 'tool'
  /** How many calls it still lets run. */
  callsLeft: number
  /** When it ends, epoch milliseconds. */
  expires: number
  /** When it was given, epoch milliseconds. */
  grantedAt: number
  /** The `via` of the confirmation. */
  via: string | null
  /** With the scope `args`, the first 200 characters of what the user was shown. */
  preview: string | null
}
