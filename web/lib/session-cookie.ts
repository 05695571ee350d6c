// The cookie that ties a browser to its Toolgate session: `<session id>.<secret>`, 128 random bits each.
// The id names the session; the secret proves who it belongs to, and only its digest reaches the gate.
import { createHash, randomBytes } from 'node:crypto'

/** Which of the app's sessions a cookie is for. */
export interface CookiePlace {
  name: string
  path: string
}

const CHAT: CookiePlace = { name: 'toolgate_session', path: '/' }
const PATTERN = /^([\w-]{22})\.([\w-]{22})$/
/** As long as the gate keeps an idle session. */
const MAX_AGE_SECONDS = 24 * 60 * 60

export interface SessionKey {
  sessionId: string
  secret: string
}

export function newSessionKey(): SessionKey {
  const random = () => randomBytes(16).toString('base64url')
  return { sessionId: random(), secret: random() }
}

/** `null` where there is no cookie, or none that this server could have issued. */
export function readSessionKey(request: Request, { name } = CHAT): SessionKey | null {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  const value = pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  const [, sessionId, secret] = PATTERN.exec(value ?? '') ?? []
  return sessionId && secret ? { sessionId, secret } : null
}

/** Who the session belongs to, as the gate stores it: useless to whoever reads the store. */
export function principalOf({ secret }: SessionKey): string {
  return createHash('sha256').update(secret).digest('hex')
}

export function setCookie(request: Request, { sessionId, secret }: SessionKey, place = CHAT): string {
  return serialize(request, `${sessionId}.${secret}`, MAX_AGE_SECONDS, place)
}

export function clearCookie(request: Request, place = CHAT): string {
  return serialize(request, '', 0, place)
}

function serialize(request: Request, value: string, maxAge: number, { name, path }: CookiePlace): string {
  const scheme = request.headers.get('x-forwarded-proto') ?? new URL(request.url).protocol
  const secure = scheme.startsWith('https') ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`
}
