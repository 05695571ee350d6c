// The error vocabulary under the import path that handlers use. Nothing is defined here.
export { ErrorType, IntentType, ToolError, failure, httpStatus, success, validateToolResponse } from 'toolgate'
