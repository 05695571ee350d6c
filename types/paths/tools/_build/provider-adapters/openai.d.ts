// Generated from JSDoc by scripts/write-path-types.mjs.
export function toOpenAI(definition: import("./declaration.js").Definition): Record<string, unknown>;
export default toOpenAI;
