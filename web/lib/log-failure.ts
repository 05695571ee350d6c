// The server's error log: one line a failure.

const SHOWN_CHARACTERS = 500

/** Not the error itself: those of providers hold the request, with what users wrote and tools returned. */
export function logFailure(what: string, error: unknown): void {
  const { name, code, statusCode, message } = (error ?? {}) as Record<string, unknown>
  const facts = [name ?? 'Error', code, statusCode && `status ${statusCode}`].filter(Boolean).join(', ')
  console.error(`${what} (${facts}): ${String(message ?? error).slice(0, SHOWN_CHARACTERS)}`)
}
