// Generated from JSDoc by scripts/write-path-types.mjs.
export { TOOL_RESPONSE_SCHEMA_VERSION, IntentType, success, failure, pending, validateToolResponse, toolResponseSchema } from "toolgate";
