// The tokens of calls that have asked, kept by the browser: what came of them elsewhere is found out with them after a reload.

const STORAGE_KEY = 'toolgate.asked'
const MOST = 40

interface AskedToken {
  callId: string
  token: string
  /** Id of the voice call's session that asked; null: that of the cookie. */
  sessionId: string | null
}

export function keepToken(asked: AskedToken): void {
  const others = keptTokens().filter(({ token }) => token !== asked.token)
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify([...others, asked].slice(-MOST)))
  } catch {
    // A full or forbidden storage: after a reload the page does not know what came of the call.
  }
}

export function keptTokens(): AskedToken[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isAsked) : []
  } catch {
    return []
  }
}

const isAsked = (value: Partial<AskedToken> | null): value is AskedToken =>
  typeof value?.callId === 'string' && typeof value.token === 'string'
