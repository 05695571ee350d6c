// Features of this server, by environment variables that are read at run time, never at build time.
import { voiceUrlOf } from 'toolgate/http'

/** Whether `/inspector` is on. It shows tools, calls and arguments: off in production unless enabled. */
export function inspectorIsOn(): boolean {
  const setting = process.env.TOOLGATE_INSPECTOR
  return setting ? setting === 'on' : process.env.NODE_ENV !== 'production'
}

/** URL of the voice server for browsers (`ws:` or `wss:`), or null: the page then has no voice. */
export const voiceUrl = (): string | null => voiceUrlOf(process.env)
