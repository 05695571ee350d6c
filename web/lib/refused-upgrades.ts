// Requests for another protocol, none of which this app speaks. Next leaves those to paths that it does not serve open for
// ever, for servers that share its port.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { createClientAddress, refuseUpgrade } from 'toolgate/http'
import { trustedProxies } from './peer-address'
import { loadReception } from './reception'

// On `globalThis`: routes and the server's start are bundled separately.
const KEY = Symbol.for('toolgate.web.refused-upgrades')
const shared = globalThis as { [KEY]?: number }

/** Answers upgrades with 400, and closes the connections of addresses that ask too often without an answer. */
export function refuseUpgrades(server: Server): void {
  const addressOf = createClientAddress(trustedProxies())
  const nexts = server.listeners('upgrade')
  server.removeAllListeners('upgrade')
  server.on('upgrade', async (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    if (isReloading(request)) return nexts.forEach(listener => listener.call(server, request, duplex, head))
    const socket = duplex as Socket
    shared[KEY] = refusedUpgrades() + 1
    const address = addressOf(request)
    const { limits } = await loadReception()
    if (limits.takeRequest({ address })) refuseUpgrade(socket, '400 Bad Request')
    else socket.destroy()
  })
}

/** How many upgrades were refused so far. */
export const refusedUpgrades = (): number => shared[KEY] ?? 0

/** A page of the development server, which is reloaded after edits. */
const isReloading = ({ url }: IncomingMessage): boolean =>
  process.env.NODE_ENV === 'development' && String(url).startsWith('/_next/')
