// Confirmations, as hosts see them.

import type { ConfirmationRequest, ToolResponse } from './responses'

/** A confirmation that waits for its user. */
export interface PendingConfirmation extends ConfirmationRequest {
  /** The name that may be passed on: nothing of the token is found out from it, and it answers nothing. */
  id: string
  token: string
  callId: string | null
  /** The model's call whose handler's call asked; then `callId` is null. */
  parentCallId?: string
  turn: number
  mode: string
  /** How many approvers have confirmed it, if it has `approvers`. */
  confirmations?: number
}

/**
 * What became of a call:
 * - `pending`: its question waits for an answer; `confirmation` is that question.
 * - `running`.
 * - `answered`: it has ended; `response` is its answer.
 * - `denied`: its user denied it, and it has not run.
 * - `expired`: its question was not answered in time, or another question took its place (then `confirmation` is that one).
 * - `unknown`: it was started, and its outcome is lost.
 * - `not_found`: the session knows nothing of it, which says nothing about what happened.
 */
export interface CallOutcome {
  status: 'pending' | 'running' | 'answered' | 'denied' | 'expired' | 'unknown' | 'not_found'
  response?: ToolResponse
  /** The question about the call that is open now, without its token: looking is not answering. */
  confirmation?: Omit<PendingConfirmation, 'token'>
}

/**
 * Something has happened to a confirmation in this process:
 * - `requested`: a user is asked. A model that asks again for what is pending gives no second one.
 * - `confirmed`: the call runs, as it was shown or as the user has changed it.
 * - `denied`.
 * - `expired`: it was not answered in time, or its tool has changed. Reported once for all processes on the store: by the process
 *   that asked, when the time is over, or by one with a listener to which an answer comes too late. If the process that asked has
 *   ended, it is reported only in the second case.
 *   A confirmation that is pending when its session ends expires then, with the reason `session_ended`.
 */
export interface ConfirmationEvent {
  type: 'requested' | 'confirmed' | 'denied' | 'expired'
  id: string
  sessionId: string
  /** The principal of the session. */
  principal: string | null
  tool: string
  /** The text for the user, with sensitive values masked; null if it is not kept any more (`expired`). */
  preview: string | null
  /** Epoch milliseconds. */
  expires: number
  /** The provider's id of the call that asked, or of the model's call whose handler made it; its turn and its mode. */
  callId: string | null
  turn: number
  mode: string
  /** The `via` of the answer. */
  via: string | null
  /** The reason of a denial; `session_ended` of what expired with its session. */
  reason: string | null
  /** Who decides in place of the session's user. */
  approvers?: { roles: string[]; count: number }
  /** The principal of the approver with whose answer it was confirmed or denied. */
  approver?: string
}

export interface ConfirmationLinkOptions {
  /** The URL of the route that answers links, `createConfirmationRoute` of `toolgate/web`. Its query is kept. */
  baseUrl: string | URL
  /**
   * The session of the confirmation: `sessionId` of its event. The process that has asked, and reported it to `onConfirmation`, knows it
   * until the answer.
   */
  sessionId?: string
  /** How long the link can be used (default, and at most: as long as the confirmation is pending). */
  ttlMs?: number
}

export interface ConfirmationOptions {
  /**
   * Receives what happens to confirmations in this process, without token and arguments. It is not waited for: an error or a
   * rejection goes to `onHandlerError` and never to a call.
   */
  onConfirmation?(event: ConfirmationEvent): unknown
  /**
   * The secret that signs links to confirmations, 16 bytes or more, the same in all processes. By default the key is derived from
   * the one that the store keeps; with the store `memory` it is random. Give a secret to keep whoever can read the store, or a copy
   * of it, from making links.
   */
  linkSecret?: string
}

export interface ConfirmationLinks {
  /**
   * A signed URL by which whoever has it answers one confirmation, once, and until it expires; null if the confirmation is not
   * pending. It shows neither session nor token. Rejects with a ToolError if the store fails.
   */
  confirmationLink(id: string, options: ConfirmationLinkOptions): Promise<string | null>
}
