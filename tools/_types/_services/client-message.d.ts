// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Sends `message` to the client of this call, if the host has one.
 *
 * A closed connection is an expected failure: the message was not delivered, so the tool had no effect. The failure
 * sets `partialSideEffects: false`, because the gate assumes possible effects for a tool that writes.
 *
 */
export function sendToClient(context: Pick<import('toolgate').HandlerContext, "messaging" | "capabilities">, message: {
    type: string;
} & Record<string, unknown>): Promise<null | import("./service-types.js").FailedResult>;
/** The warning of an answer that no client has received. */
export const NO_CLIENT: "no_client";
export function hasClient({ capabilities }: Pick<import('toolgate').HandlerContext, "capabilities">): boolean;
