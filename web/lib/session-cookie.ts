// The cookie that binds a browser to its Toolgate session: `<session id>.<secret>.<signature>`, 128 random bits each and
// an HMAC. The id identifies the session; the secret proves its ownership, and the gate gets only its digest; the
// signature proves that this app issued the pair, so that a made-up one makes no session.
import { createHash, randomBytes } from 'node:crypto'
import { isSignatureOf, signatureOf } from './cookie-key'

/** Name and path of a cookie: chat and inspector have their own. */
export interface CookieScope {
  name: string
  path: string
}

const CHAT: CookieScope = { name: 'toolgate_session', path: '/' }
const PATTERN = /^([\w-]{22})\.([\w-]{22})\.([\w-]{43})$/
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

/** `null` if the cookie is absent, malformed, or was not issued by this app. */
export function readSessionKey(request: Request, scope = CHAT): SessionKey | null {
  const name = nameOf(request, scope)
  const pairs = (request.headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  const value = pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  const [, sessionId, secret, signature] = PATTERN.exec(value ?? '') ?? []
  if (!sessionId || !secret || !signature) return null
  const key = { sessionId, secret }
  return isSignatureOf(signedText(key, scope), signature) ? key : null
}

/** Whether a browser has a cookie of the chat, by its cookies' names. */
export const hasSessionCookie = (names: string[]): boolean =>
  [CHAT.name, `__Host-${CHAT.name}`].some(name => names.includes(name))

/** The session's owner, as stored by the gate: a digest, useless to a reader of the store. */
export function principalOf({ secret }: SessionKey): string {
  return createHash('sha256').update(secret).digest('hex')
}

export function setCookie(request: Request, key: SessionKey, scope = CHAT): string {
  const value = `${key.sessionId}.${key.secret}.${signatureOf(signedText(key, scope))}`
  return serialize(request, value, MAX_AGE_SECONDS, scope)
}

export function clearCookie(request: Request, scope = CHAT): string {
  return serialize(request, '', 0, scope)
}

/** The scope is part of it: a cookie of the inspector is none of the chat. */
const signedText = ({ sessionId, secret }: SessionKey, { name }: CookieScope) => `${name}=${sessionId}.${secret}`

function serialize(request: Request, value: string, maxAge: number, scope: CookieScope): string {
  const secure = isSecure(request) ? '; Secure' : ''
  const name = nameOf(request, scope)
  return `${name}=${value}; Path=${scope.path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`
}

/** Over HTTPS a prefix keeps other hosts of the site, and pages without HTTPS, from setting the cookie. */
function nameOf(request: Request, { name, path }: CookieScope): string {
  if (!isSecure(request)) return name
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`
}

/** The header is a trusted proxy's: `createPeerRecorder` removes that of other peers. */
function isSecure(request: Request): boolean {
  const scheme = request.headers.get('x-forwarded-proto') ?? new URL(request.url).protocol
  return scheme.startsWith('https')
}
