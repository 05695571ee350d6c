// The views of an answer: for the model, for speech, for the user. The answer itself is not changed.

import type { Intent, Session, ToolResponse, ToolResponseError, ToolResponseMeta } from '../index'

/**
 * What a model gets of the envelope. `lean`: only what changes what it does next; `full`: the whole ToolResponse.
 */
export type ModelMeta = 'lean' | 'full'

/** `meta` and `intents` are left out if they would be empty. */
export type LeanResponse<T = any> = ({ ok: true; data?: T } | { ok: false; error: ToolResponseError }) & {
  intents?: Intent[]
  meta?: Pick<ToolResponseMeta, 'clamped' | 'truncated' | 'warnings' | '_idempotent_cache_hit'>
}

/**
 * The answer for a model: without the confirmation token. For a user's view it returns the model's view. A plain success
 * takes at most 40 bytes beyond its data, unless `meta` is `full`.
 */
export function toModelResponse<T = any>(response: ToolResponse<T>, options?: { meta?: 'lean' }): LeanResponse<T>
export function toModelResponse<T = any>(response: ToolResponse<T>, options: { meta: 'full' }): ToolResponse<T>
export function toModelResponse<T = any>(
  response: ToolResponse<T>,
  options: { meta: ModelMeta },
): ToolResponse<T> | LeanResponse<T>

/**
 * The answer for its user: if `data` was shortened for the model, with the full data and without `meta.truncated`. Any
 * other answer is returned unchanged. The confirmation token stays: it is for the user.
 *
 * The full data is kept in the session's process, up to 1 MiB of one result and `limits.fullResultBytes` of all sessions;
 * the oldest is dropped first. Replays, joins and cached answers have it too. If it is not kept (beyond these limits, after the session's end, for a record
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
