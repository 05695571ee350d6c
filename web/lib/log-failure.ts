// The server's error log: one line per failure.

const SHOWN_CHARACTERS = 500

/** Logs selected members only: errors of providers contain the request, with user text and tool results. */
export function logFailure(what: string, error: unknown): void {
  const { name, code, statusCode, message } = (error ?? {}) as Record<string, unknown>
  const facts = [name ?? 'Error', code, statusCode && `status ${statusCode}`].filter(Boolean).join(', ')
  console.error(`${what} (${facts}): ${String(message ?? error).slice(0, SHOWN_CHARACTERS)}`)
}
