// The HTTP server that Next has created for this app, and does not expose.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Calls `use` once, before the first connection or request from now on is served. */
export function onAppServer(use: (server: Server) => void): void {
  const stop = () => {
    unsubscribe('net.server.socket', onConnection)
    unsubscribe('http.server.request.start', onRequest)
  }
  const look = (server: Server | undefined) => {
    if (server === undefined || !isApps(server)) return
    stop()
    use(server)
  }
  const onConnection = (event: unknown) => look((event as { socket: Socket & { server?: Server } }).socket.server)
  // A connection may be older than the subscription.
  const onRequest = (event: unknown) => look((event as { server: Server }).server)
  subscribe('net.server.socket', onConnection)
  subscribe('http.server.request.start', onRequest)
}

/** Not one that a tool's handler has opened: Next keeps the port of its own in `PORT`. */
function isApps(server: Server): boolean {
  const address = server.address()
  return address !== null && typeof address === 'object' && String(address.port) === process.env.PORT
}
