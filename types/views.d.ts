// One answer, three views: the model's, a voice's, the user's. None of them changes the answer.

import type { Session, ToolResponse } from '../index'

/** The answer as a model may see it: the confirmation token is left out. Of a user's view it is the answer again. */
export function toModelResponse(response: ToolResponse): ToolResponse

/**
 * The answer as its user may see it: where `data` was shortened for the model, with all of it and without
 * `meta.truncated`. Any other answer is its own user's view. A confirmation's token stays: it is for the user.
 *
 * All of the data is kept in the session's process, up to 1 MiB of one result and 4 MiB of a session, the least recently
 * used goes first; replays, joins and cached answers find it too. If it is not kept (past these bounds, after the
 * session's end, of a record that another process made, of `registry.executeTool`) this is the model's view, with
 * `full_data_not_kept` in `meta.warnings`.
 *
 * @param session needed for an answer that was copied, or parsed from text: by itself it does not know its session
 */
export function toUiResponse<T = any>(response: ToolResponse<T>, session?: Session): ToolResponse<T>

/**
 * The answer as a voice can say it: at most 300 characters, in English where words are added. No ids, no addresses, no
 * code; lists by their count and first titles, failures by their message. Never empty.
 */
export function toSpeech(response: ToolResponse): string
