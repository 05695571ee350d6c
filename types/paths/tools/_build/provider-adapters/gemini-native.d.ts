// Generated from JSDoc by scripts/write-path-types.mjs.
export function toGeminiNative(definition: import("./declaration.js").Definition): Record<string, unknown>;
export default toGeminiNative;
