// Generated from JSDoc by scripts/write-path-types.mjs.
export function boundedFetch(maxBytes: number): typeof fetch;
