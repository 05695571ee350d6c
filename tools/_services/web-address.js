// Web addresses in untrusted texts.

/**
 * Not `URL.canParse`: once optimized, it refuses addresses with letters such as `ü` in Node 20 and 22.
 * @param {unknown} text
 * @returns {URL | null}
 */
export function parsedUrl(text) {
  try {
    return typeof text === 'string' ? new URL(text) : null
  } catch {
    return null
  }
}

/**
 * Credentials in an address disguise its host.
 * @param {unknown} text
 * @returns {string | null} the `http` or `https` address as given, if it has no credentials
 */
export function webAddress(text) {
  const url = parsedUrl(text)
  if (url === null || typeof text !== 'string' || text.length > 2000) return null
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? text : null
}
