// What lets this browser answer for its voice call: kept by the browser, for all its tabs, and sent in bodies only.

/** As the voice server's `started` frame gives them. */
export interface VoiceKey {
  sessionId: string
  resumeToken: string
}

const PLACE = 'toolgate.voice'
/** `#voice=<session id>.<resume token>`: what follows a `#` reaches no server and no log. */
const LINK = /^#voice=([\w-]{22})\.([\w-]{16,128})$/

/** The key that a link handed over, which then leaves the address, or the one that is kept; `null` where there is none. */
export function takeVoiceKey(): VoiceKey | null {
  const [, sessionId, resumeToken] = LINK.exec(location.hash) ?? []
  if (sessionId && resumeToken) {
    keepVoiceKey({ sessionId, resumeToken })
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return readVoiceKey()
}

export function keepVoiceKey(key: VoiceKey): void {
  localStorage.setItem(PLACE, JSON.stringify(key))
}

export function forgetVoiceKey(): void {
  localStorage.removeItem(PLACE)
}

function readVoiceKey(): VoiceKey | null {
  try {
    const { sessionId, resumeToken } = JSON.parse(localStorage.getItem(PLACE) ?? '')
    return { sessionId: String(sessionId), resumeToken: String(resumeToken) }
  } catch {
    return null
  }
}
