// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Not `URL.canParse`: once optimized, it refuses addresses with letters such as `ü` in Node 20 and 22.
 */
export function parsedUrl(text: unknown): URL | null;
/**
 * Credentials in an address disguise its host.
 */
export function webAddress(text: unknown): string | null;
