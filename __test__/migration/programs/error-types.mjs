import { ErrorType, IntentType, ToolError, validateToolResponse } from 'toolgate/tools/_core/error-types.js'
const error = new ToolError(ErrorType.NOT_FOUND, 'no record')
console.log(JSON.stringify([error.type, error.message, IntentType.END_VOICE_SESSION, typeof validateToolResponse]))
