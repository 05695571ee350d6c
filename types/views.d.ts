// The views of an answer: for the model, for speech, for the user. The answer itself is not changed.

import type { Session, ToolResponse } from '../index'

/** The answer for a model: without the confirmation token. For a user's view it returns the model's view. */
export function toModelResponse(response: ToolResponse): ToolResponse

/**
 * The answer for its user: if `data` was shortened for the model, with the full data and without `meta.truncated`. Any
 * other answer is returned unchanged. The confirmation token stays: it is for the user.
 *
 * The full data is kept in the session's process, up to 1 MiB of one result and 4 MiB of a session (LRU); replays,
 * joins and cached answers have it too. If it is not kept (beyond these limits, after the session's end, for a record
 * of another process, for `registry.executeTool`), this returns the shortened answer with `full_data_not_kept` in
 * `meta.warnings`.
 *
 * @param session required for an answer that was copied, or parsed from text
 */
export function toUiResponse<T = any>(response: ToolResponse<T>, session?: Session): ToolResponse<T>

/**
 * The answer as text for speech: at most 300 characters; added words are English. Without ids, addresses and code;
 * lists by their count and first titles, failures by their message. Never empty.
 */
export function toSpeech(response: ToolResponse): string
