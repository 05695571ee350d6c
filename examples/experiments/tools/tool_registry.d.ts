// Made by the build from the tool folders. Changes are lost.

/** Arguments by tool, as a caller writes them. What has a default may be left out. */
export interface ToolArgs {
  /** Refund an order to its customer. Use it only when the user asks for a refund. */
  refund: {
    /** The number of the order. */
    order: string
    /** The amount in EUR. */
    amount: number
  }
}

/** `data` on success, by tool. */
export interface ToolData {
  /** Refund an order to its customer. Use it only when the user asks for a refund. */
  refund: unknown
}

export type ToolId = keyof ToolArgs
