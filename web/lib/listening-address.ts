// Refuses to serve strangers by oversight: the address that the server listens to is known with its first connection.
import { allowsAnonymous, requireAuthentication } from 'toolgate/http'
import { onAppServer } from './app-server'

/** Ends the process at the first connection if other machines can reach it and nothing says who may use it. */
export function requireSafeAddress(): void {
  onAppServer(server => {
    const address = server.address()
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
