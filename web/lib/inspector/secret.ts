// The inspector's start-up secret: a process of the same machine reaches the same address as its user does, also through
// a proxy that adds no header. The secret is in the link that the server prints at its start.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { inspectorSecretOf } from 'toolgate/http'

const COOKIE = 'toolgate_inspector_key'
const MAX_AGE_SECONDS = 24 * 60 * 60

// On `globalThis`: routes are bundled separately.
const KEY = Symbol.for('toolgate.web.inspector-secret')
const shared = globalThis as { [KEY]?: string }

/**
 * `TOOLGATE_INSPECTOR_SECRET`, or a random one of this process.
 *
 * @throws TypeError if the setting is too short
 */
export function inspectorSecret(): string {
  return (shared[KEY] ??= inspectorSecretOf(process.env) ?? randomBytes(16).toString('base64url'))
}

/** Whether a request has the secret: `Authorization: Bearer <secret>`, or the cookie that the printed link sets. */
export function hasInspectorSecret(headers: Headers): boolean {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  const pairs = (headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  const cookie = pairs.find(pair => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
  return (bearer !== undefined && isInspectorSecret(bearer)) || (cookie !== undefined && isEqual(cookie, cookieValue()))
}

export const isInspectorSecret = (given: string): boolean => isEqual(given, inspectorSecret())

/** The cookie of a browser that has opened the printed link. */
export const inspectorSecretCookie = (): string =>
  `${COOKIE}=${cookieValue()}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict`

/** A digest: the secret itself is in no cookie. */
const cookieValue = () => digest(inspectorSecret()).toString('base64url')

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Digests have one length, which the comparison requires. */
const isEqual = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected))
