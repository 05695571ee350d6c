// POST /v1/chat/completions.

import { openAiErrors } from '../openai/send-error.js'
import { checkRequest } from './check-chat-request.js'
import { ChatFormat } from './chat-format.js'
import { readHistory, systemTexts } from './chat-history.js'

/** @type {import('../http/answer-request.js').HttpProtocol} */
export const chat = {
  name: 'chat',
  ...openAiErrors,
  prepare(body) {
    const problem = checkRequest(body)
    if (problem !== null) return { problem }
    return {
      entries: readHistory(body.messages),
      declared: declaredTools(body),
      instructions: systemTexts(body.messages).join('\n'),
      streamed: body.stream === true,
      format: new ChatFormat(body),
    }
  },
}

/** @param {import('../parse-json.js').JsonObject} body @returns {import('../assistant/read-arguments.js').ToolDeclaration[]} */
function declaredTools({ tools = [], tool_choice: choice }) {
  if (choice === 'none') return []
  return tools.flatMap((/** @type {import('../parse-json.js').JsonObject} */ tool) =>
    tool.function === undefined ? [] : [{ name: tool.function.name, parameters: tool.function.parameters }],
  )
}
