// Detects dead clients: pings at each interval and terminates sockets that did not answer the last ping.

/**
 * @param {import('ws').WebSocketServer} clients
 * @param {number} intervalMs
 * @returns {() => void} stops the heartbeat
 */
export function startHeartbeat(clients, intervalMs) {
  const silent = new WeakSet()
  const timer = setInterval(() => {
    for (const socket of clients.clients) {
      if (silent.has(socket)) socket.terminate()
      silent.add(socket)
      socket.once('pong', () => silent.delete(socket))
      socket.ping()
    }
  }, intervalMs)
  return () => clearInterval(timer)
}
