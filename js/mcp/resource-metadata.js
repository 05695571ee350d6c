'use strict'

// Where clients get a token for this server: the metadata of a protected resource (RFC 9728), and the challenge that names them.
// Tokens are checked by the host's `authenticate`.

const { checkOptionNames } = require('../gate/option-checks.js')
const { isLoopbackName } = require('../http/host-policy.js')

const PATH = '/.well-known/oauth-protected-resource'
/** A scope's characters (RFC 6749, 3.3): the challenge has it in quotes. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('./index.js').McpAuthorization} McpAuthorization
 */

class ResourceMetadata {
  #given

  /**
   * @param {McpAuthorization | undefined} given
   * @param {boolean} isAuthenticated whether tokens are checked
   */
  constructor(given, isAuthenticated) {
    if (given !== undefined) checkAuthorization(given)
    if (given !== undefined && !isAuthenticated)
      throw new TypeError('`authorization` needs `authenticate`, which checks the tokens')
    this.#given = given
  }

  /** Answers a request for the metadata. False for any other. @param {IncomingMessage} request @param {import('node:http').ServerResponse} response */
  answer(request, response) {
    const path = pathOf(request)
    if (this.#given === undefined || !(path === PATH || path.startsWith(`${PATH}/`))) return false
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end()
      return true
    }
    const { servers, scopes, resource = `${originOf(request)}${path.slice(PATH.length)}` } = this.#given
    const document = {
      resource,
      authorization_servers: servers,
      ...(scopes && { scopes_supported: scopes }),
      bearer_methods_supported: ['header'],
    }
    response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(document))
    return true
  }

  /** The `WWW-Authenticate` of a request without an identity. @param {IncomingMessage} request */
  challenge(request) {
    if (this.#given === undefined) return 'Bearer'
    const { scopes = [], resource } = this.#given
    const { origin, pathname } = new URL(resource ?? `${originOf(request)}${pathOf(request)}`)
    const parameters = [
      ...(request.headers.authorization === undefined ? [] : ['error="invalid_token"']),
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
      `resource_metadata="${origin}${PATH}${pathname === '/' ? '' : pathname}"`,
    ]
    return `Bearer ${parameters.join(', ')}`
  }
}

/** Express has cut the path of the router off `url`. @param {IncomingMessage & { originalUrl?: string }} request */
const pathOf = request => new URL(request.originalUrl ?? request.url ?? '/', 'http://localhost').pathname

/** The host was checked. Other machines reach a server by TLS, which often ends before it. @param {IncomingMessage} request */
function originOf({ headers, socket }) {
  const url = new URL(`https://${headers.host}`)
  if (isLoopbackName(url.hostname) && !('encrypted' in socket)) url.protocol = 'http:'
  return url.origin
}

/** @param {McpAuthorization} given @throws {TypeError} */
function checkAuthorization(given) {
  checkOptionNames(Object(given), ['servers', 'scopes', 'resource'], '`authorization`')
  const { servers, scopes = [], resource } = Object(given)
  if (!Array.isArray(servers) || servers.length === 0 || !servers.every(isSafeUrl))
    throw new TypeError(
      '`servers` of `authorization` must be a list of URLs with https, such as `https://login.example`',
    )
  if (!Array.isArray(scopes) || !scopes.every(scope => typeof scope === 'string' && SCOPE.test(scope)))
    throw new TypeError('`scopes` of `authorization` must be a list of scopes, without spaces and quotes')
  if (resource !== undefined && !isSafeUrl(resource))
    throw new TypeError("`resource` of `authorization` must be this server's URL with https")
}

/** With https, or of this machine. @param {unknown} text */
function isSafeUrl(text) {
  if (typeof text !== 'string' || !URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname))
}

module.exports = { METADATA_PATH: PATH, ResourceMetadata }
