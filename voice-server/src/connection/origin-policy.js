// Decides which web pages may connect. A browser always sends the page's true origin; other programs send none, or any.
import { VOICE_ORIGIN_WORDS, checkedOrigins, hostName, isLoopbackName } from 'toolgate/http'

/**
 * @param {readonly string[]} allowed exact origins (`https://app.example`), `localhost` for any page of this machine,
 *   `no-origin` for clients that send no origin (not browsers)
 * @returns {(origin: string | undefined) => boolean}
 * @throws {TypeError} if an entry is none of these
 */
export function createOriginPolicy(allowed = VOICE_ORIGIN_WORDS) {
  const exact = new Set(checkedOrigins(allowed, VOICE_ORIGIN_WORDS))
  return origin => {
    if (origin === undefined) return exact.has('no-origin')
    const asked = origin.toLowerCase()
    return (exact.has('localhost') && isLocalPage(asked)) || (asked.includes('://') && exact.has(asked))
  }
}

/** Whether an origin is a page of this machine, on any port. @param {string} origin */
function isLocalPage(origin) {
  const [, host] = /^https?:\/\/(.*)$/.exec(origin) ?? []
  return isLoopbackName(hostName(host) ?? '')
}
