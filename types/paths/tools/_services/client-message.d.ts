// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Sends `message` to the client of this call.
 *
 * A closed connection is an expected failure: the message was not delivered, so the tool had no effect. The failure
 * sets `partialSideEffects: false`, because the gate assumes possible effects for a tool that writes.
 *
 */
export function sendToClient({ messaging }: Pick<import('toolgate').HandlerContext, "messaging">, message: {
    type: string;
} & Record<string, unknown>): Promise<null | import("./service-types.js").FailedResult>;
