// The cookie that binds a browser to its Toolgate session: `<session id>.<secret>`, 128 random bits each.
// The id identifies the session; the secret proves its ownership, and the gate gets only its digest.
import { createHash, randomBytes } from 'node:crypto'

/** Name and path of a cookie: chat and inspector have their own. */
export interface CookieScope {
  name: string
  path: string
}

const CHAT: CookieScope = { name: 'toolgate_session', path: '/' }
const PATTERN = /^([\w-]{22})\.([\w-]{22})$/
/** The gate's time limit for idle sessions. */
const MAX_AGE_SECONDS = 24 * 60 * 60

export interface SessionKey {
  sessionId: string
  secret: string
}

export function newSessionKey(): SessionKey {
  const random = () => randomBytes(16).toString('base64url')
  return { sessionId: random(), secret: random() }
}

/** `null` if the cookie is absent or malformed. */
export function readSessionKey(request: Request, { name } = CHAT): SessionKey | null {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  const value = pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  const [, sessionId, secret] = PATTERN.exec(value ?? '') ?? []
  return sessionId && secret ? { sessionId, secret } : null
}

/** The session's owner, as stored by the gate: a digest, useless to a reader of the store. */
export function principalOf({ secret }: SessionKey): string {
  return createHash('sha256').update(secret).digest('hex')
}

export function setCookie(request: Request, { sessionId, secret }: SessionKey, scope = CHAT): string {
  return serialize(request, `${sessionId}.${secret}`, MAX_AGE_SECONDS, scope)
}

export function clearCookie(request: Request, scope = CHAT): string {
  return serialize(request, '', 0, scope)
}

function serialize(request: Request, value: string, maxAge: number, { name, path }: CookieScope): string {
  const scheme = request.headers.get('x-forwarded-proto') ?? new URL(request.url).protocol
  const secure = scheme.startsWith('https') ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`
}
