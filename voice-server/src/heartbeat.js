// Finds out which clients are gone without having said so: a ping each interval, and the end for who did not answer.

/**
 * @param {import('ws').WebSocketServer} clients
 * @param {number} intervalMs
 * @returns {() => void} stops it
 */
export function startHeartbeat(clients, intervalMs) {
  const silent = new WeakSet()
  clients.on('connection', socket => socket.on('pong', () => silent.delete(socket)))
  const timer = setInterval(() => {
    for (const socket of clients.clients) {
      if (silent.has(socket)) socket.terminate()
      silent.add(socket)
      socket.ping()
    }
  }, intervalMs)
  return () => clearInterval(timer)
}
