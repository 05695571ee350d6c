// The engine behind an HTTP server of its own: `/voice` for WebSocket clients, and what monitoring asks.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { refuseUpgrade } from 'toolgate/http'
import { createVoiceEngine } from './engine.js'
import { answerJson, pathOf } from './connection/monitoring.js'

/** Connections that send no request in this time are closed: each one holds memory and a file descriptor. */
const SILENCE = { headersTimeout: 3000, requestTimeout: 15_000, connectionsCheckingInterval: 1000 }

/** @type {(options: import('../server.js').VoiceServerOptions) => Promise<import('../server.js').VoiceServer>} */
export async function createListeningServer({ port = 0, host: address = '127.0.0.1', ...options }) {
  const engine = await createVoiceEngine(options)
  const server = createServer(SILENCE, (request, response) => {
    if (!engine.handleRequest(request, response)) answerJson(response, 404, { error: 'not found' })
  })
  server.on('upgrade', (request, socket, head) => {
    if (pathOf(request) === '/voice') return engine.handleUpgrade(request, socket, head)
    refuseUpgrade(/** @type {import('node:net').Socket} */ (socket), '404 Not Found')
  })
  server.listen(port, address)
  try {
    await once(server, 'listening')
  } catch (error) {
    await engine.close()
    throw error
  }
  const bound = /** @type {import('node:net').AddressInfo} */ (server.address()).port
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    await engine.close()
    server.closeIdleConnections()
    await closed
  }
  /** @type {Promise<void> | null} */
  let closing = null
  return {
    url: `ws://${address.includes(':') ? `[${address}]` : address}:${bound}/voice`,
    port: bound,
    acceptStore: engine.acceptStore,
    say: engine.say,
    close: () => (closing ??= close()),
  }
}
