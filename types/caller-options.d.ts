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

/** How a user confirms a call. */
export interface ConfirmOptions extends CallerOptions, AnswerOptions {
  /**
   * The arguments that the user wants instead of those that were shown, whole. What is left as it was shown, a masked value too,
   * stays as it was; a sensitive value can't be changed. They pass the checks of a new call, budgets aside. If one refuses them,
   * nothing runs, and the confirmation stays pending.
   */
  args?: Record<string, unknown>
}
