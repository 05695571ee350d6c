// What this server offers, by its environment: read when asked, never at build.

/** `/inspector` shows tools, calls and arguments to whoever opens it: off in production unless it is asked for. */
export function inspectorIsOn(): boolean {
  const setting = process.env.TOOLGATE_INSPECTOR
  return setting ? setting === 'on' : process.env.NODE_ENV !== 'production'
}

/** Where browsers reach the voice server (`ws:` or `wss:`), or null: the page then has no voice. */
export function voiceUrl(): string | null {
  const setting = process.env.TOOLGATE_VOICE_URL
  if (!setting || !URL.canParse(setting)) return null
  return /^wss?:$/.test(new URL(setting).protocol) ? setting : null
}
