// The credentials of this browser's voice call: stored by the browser for all its tabs, and sent in bodies only.

/** As in the voice server's `started` frame. */
export interface VoiceKey {
  sessionId: string
  resumeToken: string
}

const STORAGE_KEY = 'toolgate.voice'
/** `#voice=<session id>.<resume token>`: a browser does not send the fragment to servers, so it is in no log. */
const LINK_PATTERN = /#voice=([\w-]{22})\.([\w-]{16,128})$/
const CHANGED = 'toolgate:voice-key'

/**
 * Returns the key of the page's address, which is then removed from the address, or the stored one; `null` if neither.
 */
export function claimVoiceKey(): VoiceKey | null {
  const linked = parseVoiceLink(location.hash)
  if (linked) {
    storeVoiceKey(linked)
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return readVoiceKey()
}

/** The link that opens the call's questions on another device. */
export function voiceLink({ sessionId, resumeToken }: VoiceKey): string {
  return `${location.origin}/#voice=${sessionId}.${resumeToken}`
}

/** The key in such a link; `null` if there is none. */
export function parseVoiceLink(link: string): VoiceKey | null {
  const [, sessionId, resumeToken] = LINK_PATTERN.exec(link.trim()) ?? []
  return sessionId && resumeToken ? { sessionId, resumeToken } : null
}

export function storeVoiceKey(key: VoiceKey): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(key))
  dispatchEvent(new Event(CHANGED))
}

export function forgetVoiceKey(): void {
  localStorage.removeItem(STORAGE_KEY)
  dispatchEvent(new Event(CHANGED))
}

/** Calls `onChange` when the key may have changed: by a link, here, or in another tab. */
export function watchVoiceKey(onChange: () => void): () => void {
  const events = ['hashchange', 'storage', CHANGED]
  for (const event of events) addEventListener(event, onChange)
  return () => events.forEach(event => removeEventListener(event, onChange))
}

export function readVoiceKey(): VoiceKey | null {
  try {
    const { sessionId, resumeToken } = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '')
    return { sessionId: String(sessionId), resumeToken: String(resumeToken) }
  } catch {
    return null
  }
}
