// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Why a text is not an e-mail address.
 */
export function emailProblem(email: string): string | null;
