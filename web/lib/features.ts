// Features of this server, by environment variables that are read at run time, never at build time.

/** Whether `/inspector` is on. It shows tools, calls and arguments: off in production unless enabled. */
export function inspectorIsOn(): boolean {
  const setting = process.env.TOOLGATE_INSPECTOR
  return setting ? setting === 'on' : process.env.NODE_ENV !== 'production'
}

/** URL of the voice server for browsers (`ws:` or `wss:`), or null: the page then has no voice. */
export function voiceUrl(): string | null {
  const setting = process.env.TOOLGATE_VOICE_URL
  if (!setting || !URL.canParse(setting)) return null
  return /^wss?:$/.test(new URL(setting).protocol) ? setting : null
}
