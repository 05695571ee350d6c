// What lets this browser answer for its voice call: kept by the browser, for all its tabs, and sent in bodies only.

/** As the voice server's `started` frame gives them. */
export interface VoiceKey {
  sessionId: string
  resumeToken: string
}

const PLACE = 'toolgate.voice'
/** `#voice=<session id>.<resume token>`: what follows a `#` reaches no server and no log. */
const LINK = /#voice=([\w-]{22})\.([\w-]{16,128})$/
const CHANGED = 'toolgate:voice-key'

/** The key that a link handed over, which then leaves the address, or the one that is kept; `null` where there is none. */
export function takeVoiceKey(): VoiceKey | null {
  const handed = parseVoiceLink(location.hash)
  if (handed) {
    keepVoiceKey(handed)
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return readVoiceKey()
}

/** The link that hands the key over to another device. */
export function voiceLink({ sessionId, resumeToken }: VoiceKey): string {
  return `${location.origin}/#voice=${sessionId}.${resumeToken}`
}

/** The key in such a link; `null` where there is none. */
export function parseVoiceLink(link: string): VoiceKey | null {
  const [, sessionId, resumeToken] = LINK.exec(link.trim()) ?? []
  return sessionId && resumeToken ? { sessionId, resumeToken } : null
}

export function keepVoiceKey(key: VoiceKey): void {
  localStorage.setItem(PLACE, JSON.stringify(key))
  dispatchEvent(new Event(CHANGED))
}

export function forgetVoiceKey(): void {
  localStorage.removeItem(PLACE)
  dispatchEvent(new Event(CHANGED))
}

/** Calls `tell` when the key may have changed: by a link, here, or in another tab. */
export function watchVoiceKey(tell: () => void): () => void {
  const events = ['hashchange', 'storage', CHANGED]
  for (const event of events) addEventListener(event, tell)
  return () => events.forEach(event => removeEventListener(event, tell))
}

export function readVoiceKey(): VoiceKey | null {
  try {
    const { sessionId, resumeToken } = JSON.parse(localStorage.getItem(PLACE) ?? '')
    return { sessionId: String(sessionId), resumeToken: String(resumeToken) }
  } catch {
    return null
  }
}
