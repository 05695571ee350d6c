'use strict'

// The names of OpenTelemetry's semantic conventions for generative AI that the gate writes, as of version 1.45.0 of
// `@opentelemetry/semantic-conventions` (`/incubating`). They are not stable yet, so a host's own version may differ;
// a test compares them with the package.

const OPERATION_NAME = 'gen_ai.operation.name'
const OPERATION_EXECUTE_TOOL = 'execute_tool'
const PROVIDER_NAME = 'gen_ai.provider.name'
const CONVERSATION_ID = 'gen_ai.conversation.id'
const TOOL_NAME = 'gen_ai.tool.name'
const TOOL_TYPE = 'gen_ai.tool.type'
const TOOL_CALL_ID = 'gen_ai.tool.call.id'
const TOOL_CALL_ARGUMENTS = 'gen_ai.tool.call.arguments'
const ERROR_TYPE = 'error.type'
const OPERATION_DURATION = 'gen_ai.client.operation.duration'

module.exports = {
  OPERATION_NAME,
  OPERATION_EXECUTE_TOOL,
  PROVIDER_NAME,
  CONVERSATION_ID,
  TOOL_NAME,
  TOOL_TYPE,
  TOOL_CALL_ID,
  TOOL_CALL_ARGUMENTS,
  ERROR_TYPE,
  OPERATION_DURATION,
}
