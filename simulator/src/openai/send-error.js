// OpenAI's error body.

/**
 * @param {import('node:http').ServerResponse} response
 * @param {import('./errors.js').ApiError} error
 */
export function sendError(response, { status, message, type, param, code }) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message, type, param, code } }));
}
