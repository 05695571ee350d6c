// Refuses to serve strangers by oversight: the address that the server listens to is known with its first request.
import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { allowsAnonymous, requireAuthentication } from 'toolgate/http'

/** Ends the process at the first request if other machines can reach it and nothing says who may use it. */
export function requireSafeAddress(): void {
  let isChecked = false
  subscribe('http.server.request.start', event => {
    if (isChecked) return
    isChecked = true
    const address = (event as { server: Server }).server.address()
    if (address !== null && typeof address === 'object') check(address.address)
  })
}

function check(host: string): void {
  const authenticate = process.env.TOOLGATE_AUTHENTICATE || undefined
  try {
    requireAuthentication({ host, authenticate, allowAnonymous: allowsAnonymous(process.env) })
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}
