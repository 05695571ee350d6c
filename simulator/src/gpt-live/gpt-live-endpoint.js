// The endpoint of GPT-Live sessions.

import { SocketEndpoint } from '../socket/socket-endpoint.js'
import { GptLiveConnection } from './gpt-live-connection.js'

const LIVE_PATH = /^\/+(?:openai\/)?v1\/live\/sessions$/

/** @param {import('../socket/socket-endpoint.js').EndpointHost} host @returns {SocketEndpoint<GptLiveConnection>} */
export function createGptLiveEndpoint(host) {
  return new SocketEndpoint(
    { name: 'gptLive', path: LIVE_PATH, connect: ({ request, ...parts }) => new GptLiveConnection(parts) },
    host,
  )
}
