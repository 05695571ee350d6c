// Generated from JSDoc by scripts/write-path-types.mjs.
export { toolRegistry, createRegistry } from "toolgate";
