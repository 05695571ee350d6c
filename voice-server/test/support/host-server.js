// An HTTP server of a host's, which serves voice calls beside pages and WebSockets of its own.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

/**
 * @param {import('../../server.js').VoiceEngine} voice calls are at `/live/voice`, an echo at `/echo`
 * @returns {Promise<{ url: string, http: string, echo: string, close(): Promise<void> }>}
 */
export async function hostServer({ handleRequest, handleUpgrade }) {
  const echo = new WebSocketServer({ noServer: true })
  echo.on('connection', socket => socket.on('message', data => socket.send(`echo ${data}`)))
  const server = createServer((request, response) => {
    if (request.url === '/hello') response.end('own page')
    else if (!handleRequest(request, response)) response.writeHead(404).end()
  })
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/live/voice') handleUpgrade(request, socket, head)
    else echo.handleUpgrade(request, socket, head, client => echo.emit('connection', client))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = `127.0.0.1:${server.address().port}`
  const close = async () => {
    const closed = once(server, 'close')
    for (const client of echo.clients) client.terminate()
    server.close()
    server.closeAllConnections()
    await closed
  }
  return { url: `ws://${at}/live/voice`, http: `http://${at}`, echo: `ws://${at}/echo`, close }
}
