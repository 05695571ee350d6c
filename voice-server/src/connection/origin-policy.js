// Decides which web pages may connect. A browser always sends the page's true origin; other programs send none, or any.
import { hostName, isLoopbackName } from 'toolgate/http'

export const DEFAULT_ORIGINS = ['localhost', 'no-origin']

/**
 * @param {string[]} allowed exact origins (`https://app.example`), `localhost` for any page of this machine,
 *   `no-origin` for clients that send no origin (not browsers)
 * @returns {(origin: string | undefined) => boolean}
 */
export function createOriginPolicy(allowed = DEFAULT_ORIGINS) {
  const exact = new Set(allowed.map(origin => origin.replace(/\/$/, '').toLowerCase()))
  return origin => {
    if (origin === undefined) return exact.has('no-origin')
    const asked = origin.toLowerCase()
    return (exact.has('localhost') && isLocalPage(asked)) || (/^\w+:\/\//.test(asked) && exact.has(asked))
  }
}

/** Whether an origin is a page of this machine, on any port. @param {string} origin */
function isLocalPage(origin) {
  const [, host] = /^https?:\/\/(.*)$/.exec(origin) ?? []
  return isLoopbackName(hostName(host) ?? '')
}
