// The key that signs the cookies of sessions: from the environment, or made once for an installation.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { storeFromSetting } from 'toolgate'

const KEY_BYTES = 32
const MIN_SECRET_BYTES = 16

// On `globalThis`: routes are bundled separately.
const KEY = Symbol.for('toolgate.web.cookie-key')
const shared = globalThis as { [KEY]?: Buffer }

/** The signature of a text, 43 characters. */
export function signatureOf(text: string): string {
  return createHmac('sha256', cookieKey()).update(text).digest('base64url')
}

export function isSignatureOf(text: string, signature: string): boolean {
  const [given, expected] = [Buffer.from(signature), Buffer.from(signatureOf(text))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/**
 * @throws TypeError if `TOOLGATE_COOKIE_SECRET` is too short
 * @throws Error if the file of the key cannot be read or made, or is not one
 */
export function cookieKey(): Buffer {
  return (shared[KEY] ??= openKey())
}

function openKey(): Buffer {
  const secret = process.env.TOOLGATE_COOKIE_SECRET
  if (secret) return keyOfSecret(secret)
  const store = storeFromSetting(process.env.TOOLGATE_STORE || undefined)
  // The sessions of this store end with the process, and so may their cookies.
  if (store === 'memory') return randomBytes(KEY_BYTES)
  const isFile = typeof store === 'object' && 'file' in store
  return keyOfFile(isFile ? `${resolve(String(store.file))}.cookie-key` : resolve('.toolgate', 'cookie-key'))
}

function keyOfSecret(secret: string): Buffer {
  if (Buffer.byteLength(secret) >= MIN_SECRET_BYTES) return Buffer.from(secret)
  throw new TypeError(`\`TOOLGATE_COOKIE_SECRET\` must have at least ${MIN_SECRET_BYTES} bytes`)
}

/** Reads the key of a file, which only its owner can read; makes it if there is none. */
function keyOfFile(path: string): Buffer {
  if (!existsSync(path)) makeKeyFile(path)
  // A symbolic link could lead to a file that another user knows.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    fchmodSync(file, 0o600)
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url')
    if (key.length === KEY_BYTES) return key
    throw new Error(`\`${path}\` is no key for cookies; remove it, and the next start makes one`)
  } finally {
    closeSync(file)
  }
}

/** Makes the file under another name and links it: a second process never reads a part, nor replaces the first's. */
function makeKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const made = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(made, randomBytes(KEY_BYTES).toString('base64url'), { mode: 0o600, flag: 'wx' })
  try {
    linkSync(made, path)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  } finally {
    rmSync(made)
  }
}
