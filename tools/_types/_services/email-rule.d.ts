// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Why the domain of a well-formed address is none of the internet; an address literal (`[192.0.2.1]`) is one.
 */
export function domainProblem(email: string): string | null;
/**
 * Why a text is not an e-mail address.
 */
export function emailProblem(email: string): string | null;
