// The host names that this app answers to.
import type { IncomingHttpHeaders } from 'node:http'
import { allowedHostsOf, createHostPolicy, inspectorHostsOf, webOriginsOf } from 'toolgate/http'

export const UNKNOWN_HOST = 'this server is not known by that host name: name it in `TOOLGATE_ALLOWED_HOSTS`'

/** Probes of an orchestrator come under any name, and their answers hold nothing of a user's. */
const PROBES = ['/api/healthz', '/api/readyz']

/**
 * Whether the app answers to the name of a request, and to the one that a proxy says. A page under another name, that
 * its owner lets resolve to this machine, would else be of the app's own origin.
 */
export function isKnownHost(headers: IncomingHttpHeaders, path: string): boolean {
  if (PROBES.includes(path)) return true
  const isKnown = createHostPolicy(allowedHosts())
  const forwarded = headers['x-forwarded-host']
  return isKnown(headers.host) && (forwarded === undefined || isKnown(String(forwarded)))
}

/**
 * The names that the environment allows, and those of the origins that it allows.
 *
 * @throws TypeError if an entry is none of both: each request would get 403
 */
export function allowedHosts(): string[] {
  const { env } = process
  const origins = allowedOrigins().filter(origin => /^https?:/.test(origin))
  const hosts = [...(allowedHostsOf(env) ?? []), ...(inspectorHostsOf(env) ?? [])]
  return [...hosts, ...origins.map(origin => new URL(origin).hostname)]
}

/** The origins of further pages. @throws TypeError if an entry is none */
export const allowedOrigins = (): string[] => webOriginsOf(process.env) ?? []
