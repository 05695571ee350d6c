/** Which host names a server answers to: the defence against DNS rebinding. */

/**
 * A check of `Host`, or of a proxy's `X-Forwarded-Host`. Known are the names of this machine (`localhost`, `*.localhost`),
 * every IP address, and the given names.
 *
 * @param allowed names without port, such as `app.example`
 */
export function createHostPolicy(allowed?: readonly string[]): (host: string | null | undefined) => boolean

/** The name in a `Host` header, in lower case and without port; null if it is malformed. */
export function hostName(host: string | null | undefined): string | null

/** Whether a name, without port, always means this machine. */
export function isLoopbackName(name: string): boolean
