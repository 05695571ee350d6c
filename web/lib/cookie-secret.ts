// What signs the cookies of users, if the environment says so; else a key that the store keeps.

const MIN_SECRET_BYTES = 16

/** @throws TypeError if `TOOLGATE_COOKIE_SECRET` is too short */
export function cookieSecret(): string | undefined {
  const secret = process.env.TOOLGATE_COOKIE_SECRET
  if (!secret) return undefined
  if (Buffer.byteLength(secret) >= MIN_SECRET_BYTES) return secret
  throw new TypeError(`\`TOOLGATE_COOKIE_SECRET\` must have at least ${MIN_SECRET_BYTES} bytes`)
}
