import * as response from 'toolgate/tools/_core/tool-response.js'
console.log(JSON.stringify([response.TOOL_RESPONSE_SCHEMA_VERSION, response.IntentType.SUPPRESS_AUDIO]))
