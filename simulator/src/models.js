// GET /v1/models, in OpenAI's format, or in Anthropic's if the client sends `anthropic-version`.

import { SIMULATOR_NAME } from './identity.js'

const OPENAI = { object: 'list', data: [{ id: SIMULATOR_NAME, object: 'model', created: 0, owned_by: SIMULATOR_NAME }] }
const ANTHROPIC = {
  data: [{ id: SIMULATOR_NAME, type: 'model', display_name: SIMULATOR_NAME, created_at: '1970-01-01T00:00:00Z' }],
  has_more: false,
  first_id: SIMULATOR_NAME,
  last_id: SIMULATOR_NAME,
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
export function listModels({ headers }, response) {
  const list = headers['anthropic-version'] === undefined ? OPENAI : ANTHROPIC
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list))
}
