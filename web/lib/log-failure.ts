// The server's own log: JSON lines on standard error.
import { createLogger, logLevelOf } from 'toolgate/http'

const SHOWN_CHARACTERS = 500

let logger: ReturnType<typeof createLogger> | undefined

/** The log at the level of `TOOLGATE_LOG`. Throws a TypeError if it is no level. */
export const serverLog = () => (logger ??= createLogger({ level: logLevelOf(process.env) }))

/** Logs selected members only: errors of providers contain the request, with user text and tool results. */
export function logFailure(what: string, error: unknown): void {
  const { name, code, statusCode, message } = (error ?? {}) as Record<string, unknown>
  const reason = String(message ?? error).slice(0, SHOWN_CHARACTERS)
  serverLog().error(what, { error: name ?? 'Error', code, status: statusCode, reason })
}
