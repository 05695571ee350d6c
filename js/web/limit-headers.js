'use strict'

// The headers of an answer's limits: `Retry-After` (RFC 9110, 10.2.3), `RateLimit-Policy` and `RateLimit`
// (draft-ietf-httpapi-ratelimit-headers-10).

/** @param {number} ms in whole seconds, never too early */
const seconds = ms => Math.ceil(ms / 1000)

/**
 * The policy is sent with every answer of a tool that has a rate limit, the remaining quota only if it is known: after a
 * refusal it is 0.
 * @param {import('toolgate').ToolResponse} response
 * @param {import('toolgate').ToolMetadata | null} tool
 * @returns {Record<string, string>}
 */
function limitHeaders(response, tool) {
  const { type, retryAfterMs } = /** @type {Partial<import('toolgate').ToolResponseError>} */ (
    response.ok ? {} : response.error
  )
  /** @type {Record<string, string>} */
  const headers = {}
  if (retryAfterMs !== undefined) headers['retry-after'] = String(seconds(retryAfterMs))
  const { toolId, rateLimit } = tool ?? {}
  if (!rateLimit) return headers
  headers['ratelimit-policy'] = `"${toolId}";q=${rateLimit.calls};w=${seconds(rateLimit.windowMs)}`
  if (type === 'RATE_LIMIT' && retryAfterMs !== undefined)
    headers['ratelimit'] = `"${toolId}";r=0;t=${seconds(retryAfterMs)}`
  return headers
}

module.exports = { limitHeaders }
