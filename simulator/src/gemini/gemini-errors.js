// The error body of Google's APIs.

/** Status names by HTTP status (google.rpc.Code). @type {Record<number, string>} */
const STATUS = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** @param {{ status?: number, message: string, type?: string }} error `type`: the status name; by default of `status` */
export function errorBody({ status = 500, message, type = STATUS[status] ?? 'UNKNOWN' }) {
  return { error: { code: status, message, status: type } }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {{ status: number, message: string, type?: string }} error
 */
export function sendError(response, error) {
  response.writeHead(error.status, { 'content-type': 'application/json' }).end(JSON.stringify(errorBody(error)))
}
