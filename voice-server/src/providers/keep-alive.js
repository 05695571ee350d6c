// Pings a provider's socket: a connection that was lost without a close frame would stay open for hours.

/**
 * @param {import('ws').WebSocket} socket terminated if it does not answer a ping before the next one
 * @param {number} intervalMs
 */
export function keepAlive(socket, intervalMs) {
  let isAnswered = true
  socket.on('pong', () => (isAnswered = true))
  const timer = setInterval(() => {
    if (!isAnswered) return socket.terminate()
    isAnswered = false
    if (socket.readyState === socket.OPEN) socket.ping()
  }, intervalMs)
  socket.on('close', () => clearInterval(timer))
}
