// POST /v1/responses.

import { flatFunctions } from '../openai/flat-tools.js'
import { openAiErrors } from '../openai/send-error.js'
import { checkRequest } from './check-responses-request.js'
import { ResponsesFormat } from './responses-format.js'
import { readHistory, systemTexts } from './responses-history.js'
import { ResponseStore } from './response-store.js'

/** @returns {import('../http/answer-request.js').HttpProtocol} with its own ResponseStore */
export function createResponsesProtocol() {
  const memory = new ResponseStore()
  return {
    name: 'responses',
    ...openAiErrors,
    prepare(body) {
      const { problem, items } = checkRequest(body, memory)
      if (problem !== undefined) return { problem }
      return {
        entries: readHistory(items),
        declared: flatFunctions(body),
        instructions: [body.instructions ?? '', ...systemTexts(items)].join('\n'),
        streamed: body.stream === true,
        format: new ResponsesFormat(body, items, memory),
      }
    },
  }
}
