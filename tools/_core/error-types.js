// The error vocabulary under the import path that handlers use. Nothing is defined here.
export { ErrorType, ToolError, httpStatus } from '../../index.js'
