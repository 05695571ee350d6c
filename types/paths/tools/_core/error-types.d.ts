// Generated from JSDoc by scripts/write-path-types.mjs.
export { ErrorType, IntentType, ToolError, failure, httpStatus, success, validateToolResponse } from "toolgate";
