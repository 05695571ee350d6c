// The endpoint of Gemini Live, and the state that its connections share.

import { SocketEndpoint } from '../socket/socket-endpoint.js'
import { LiveConnection } from './live-connection.js'
import { ResumableSessions } from './resumable-sessions.js'

/**
 * The path contains the API version, which differs between SDK releases, and starts with two slashes if the SDK has a
 * base URL. The second form is Vertex AI's.
 */
const LIVE_PATH =
  /^\/+ws\/(?:google\.ai\.generativelanguage\.v\w+\.GenerativeService\.BidiGenerateContent(?:Constrained)?|google\.cloud\.aiplatform\.v\w+\.LlmBidiService\/BidiGenerateContent)$/

/** @param {import('../socket/socket-endpoint.js').EndpointHost} host @returns {SocketEndpoint<LiveConnection>} */
export function createLiveEndpoint(host) {
  const sessions = new ResumableSessions()
  /** @param {import('../socket/socket-endpoint.js').ConnectionParts} parts */
  const connect = ({ host: shared, ...parts }) => new LiveConnection({ ...parts, host: { ...shared, sessions } })
  return new SocketEndpoint({ name: 'live', path: LIVE_PATH, connect }, host)
}
