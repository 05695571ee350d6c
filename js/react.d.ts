/** What a page in React shows for confirmations. `react` is an optional peer dependency. */

export interface ConfirmationsProps {
  /** A message of `useChat`. */
  message: { parts: readonly object[]; metadata?: unknown }
  /** `addToolApprovalResponse` of `useChat`. */
  answer(answer: { id: string; approved: boolean }): unknown
  /** By default `Confirmation` (the name of a card for assistive technology), `Approve` and `Deny`. */
  labels?: { card?: string; confirm?: string; deny?: string }
  /** The class of each card, a `<p role="group">` with the preview and two buttons. */
  className?: string
}

/** A React element, without the types of a React version. */
export interface Rendered {
  type: any
  props: any
  key: string | null
}

/**
 * A card for each approval request of the message that the user has not answered. It shows the gate's preview of the call, which
 * `createChatRoute` and `confirmationMetadata` of `toolgate/ai-sdk` put into the message's metadata. A request without one, such as of a tool of
 * your own, has no card.
 */
export function Confirmations(props: ConfirmationsProps): Rendered
