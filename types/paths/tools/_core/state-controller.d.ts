// Generated from JSDoc by scripts/write-path-types.mjs.
export { createStateController } from "toolgate";
