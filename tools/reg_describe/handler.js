// Reads a tool's documentation through the built-in service `registry`.
import { ErrorType } from '../_core/error-types.js'
import { failure, success } from '../_core/tool-response.js'

export async function execute({ args, mode, services }) {
  const { tool, nearest } = services.registry.describe({ toolId: args.tool_id, mode })
  return tool === undefined ? notFound(args.tool_id, nearest) : success(tool)
}

function notFound(toolId, nearest) {
  return failure(ErrorType.NOT_FOUND, `there is no tool \`${toolId}\``, {
    retryable: false,
    details: { nearest },
    suggestion:
      nearest.length > 0
        ? `did you mean ${nearest.map(near => `\`${near}\``).join(', ')}?`
        : 'search for the tool with reg_search',
  })
}
