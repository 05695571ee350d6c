// Errors that become JSON answers of the HTTP routes.
import { httpStatus } from 'toolgate'
import { logFailure } from './log-failure'

/** Refuses a request with `{ error: { type, message, ...extra } }` and a 4xx or 503 status. */
export class RequestRefusal extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly extra: Record<string, unknown> = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(message)
  }

  toResponse(): Response {
    const body = { error: { type: this.type, message: this.message, ...this.extra } }
    return Response.json(body, { status: this.status, headers: { 'cache-control': 'no-store', ...this.headers } })
  }
}

/** Runs a route. A RequestRefusal or ToolError becomes its JSON answer, any other error a 500 without details. */
export async function handleRoute(route: () => Promise<Response>): Promise<Response> {
  try {
    return await route()
  } catch (error) {
    return failureResponse(error)
  }
}

/** The JSON answer of a RequestRefusal or ToolError; any other error is logged and becomes a 500 without details. */
export function failureResponse(error: unknown): Response {
  if (isRefusal(error)) return error.toResponse()
  if ((error as { code?: unknown } | null)?.code === 'CLOSED') return closing().toResponse()
  if (isToolError(error)) return new RequestRefusal(httpStatus(error.type), error.type, error.message).toResponse()
  logFailure('a request failed', error)
  return new RequestRefusal(500, 'INTERNAL', 'the server failed, its log says why').toResponse()
}

/** The registry is closed: another server, or this one after its restart, takes the request. */
const closing = () => new RequestRefusal(503, 'CLOSING', 'the server is shutting down', {}, { 'retry-after': '1' })

/** Of this app, or of the package. */
function isRefusal(error: unknown): error is { toResponse(): Response } {
  return error instanceof Error && 'toResponse' in error
}

/** Checks the shape, because this bundle and the package have different classes. */
function isToolError(error: unknown): error is { type: string; message: string } {
  return error instanceof Error && 'type' in error && typeof error.type === 'string' && 'partialSideEffects' in error
}
