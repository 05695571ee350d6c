'use strict'

// The names of OpenTelemetry's semantic conventions for generative AI and MCP that the gate writes, as of version 1.45.0 of
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
const ERROR_TYPE_OTHER = '_OTHER'
const OPERATION_DURATION = 'gen_ai.client.operation.duration'
const MCP_METHOD_NAME = 'mcp.method.name'
const MCP_METHOD_TOOLS_CALL = 'tools/call'
/** The error type of a result with `isError`. */
const MCP_TOOL_ERROR = 'tool_error'
const MCP_SERVER_DURATION = 'mcp.server.operation.duration'
const MCP_CLIENT_DURATION = 'mcp.client.operation.duration'
const JSONRPC_REQUEST_ID = 'jsonrpc.request.id'

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
  ERROR_TYPE_OTHER,
  OPERATION_DURATION,
  MCP_METHOD_NAME,
  MCP_METHOD_TOOLS_CALL,
  MCP_TOOL_ERROR,
  MCP_CLIENT_DURATION,
  MCP_SERVER_DURATION,
  JSONRPC_REQUEST_ID,
}
