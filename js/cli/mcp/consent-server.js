'use strict'

// The server of confirmations of `toolgate mcp`: the links of its questions, and a page that lists them. It listens to this machine
// alone. Whoever has the page's address decides, so the address has a random key, and no answer to a client has any of it.

const { createHash, randomBytes, timingSafeEqual } = require('node:crypto')
const { createServer } = require('node:http')

const { createHttpGuard } = require('../../mcp/http-guard.js')
const { goneSignal, webRequest, writeAnswer } = require('../../mcp/web-exchange.js')
const { createConfirmationRoute } = require('../../web/confirmation-route.js')
const { listening } = require('./listening.js')
const { PAGE_HEADERS, listOf, pageOf } = require('./consent-page.js')

const HOST = '127.0.0.1'
const KEY_BYTES = 32
const CONFIRM = 'confirm'
/** A browser that sends nothing, or not all of a form, in this time is disconnected. */
const DEADLINES = { headersTimeout: 3000, requestTimeout: 15_000, connectionsCheckingInterval: 1000 }
const MAX_CONNECTIONS = 100

/**
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 * @typedef {object} ConsentServerOptions
 * @property {number} port 0: a free one
 * @property {import('./open-questions.js').OpenQuestions | null} questions of the page; without it there are links alone
 * @property {import('../../web/index').ConfirmationRouteOptions} route
 * @property {string[]} [hosts] names under which a proxy reaches it
 * @property {string[]} [origins] the proxy's pages
 */

/**
 * @param {ToolRegistry} registry @param {ConsentServerOptions} options
 * @returns {Promise<{ address: string, confirm: string, close(): Promise<void> }>} `address`: of the page, with its key; `confirm`: the
 *   base of the links
 */
async function serveConsent(registry, { port, questions, route: routeOptions, hosts, origins }) {
  const key = questions === null ? null : randomBytes(KEY_BYTES).toString('base64url')
  const refusal = createHttpGuard({ hosts, origins })
  const route = createConfirmationRoute(registry, { ...routeOptions, allowedOrigins: origins })
  const server = createServer(DEADLINES, (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  async function answer(request, response) {
    const refused = refusal(request.headers) ?? (key === null ? null : foreignPage(request))
    if (refused !== null) return send(response, 403, refused)
    const place = placeOf(request.url ?? '/', key)
    if (place === null) return send(response, 404, 'not found')
    if (place === CONFIRM) return decide(request, response)
    if (questions === null || request.method !== 'GET')
      return send(response, questions === null ? 404 : 405, 'not found')
    const list = listOf(await questions.open(registry, CONFIRM))
    response.writeHead(200, PAGE_HEADERS).end(place === 'list' ? list : pageOf(list))
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  async function decide(request, response) {
    const body =
      request.method === 'POST' ? { body: /** @type {any} */ (request), duplex: /** @type {const} */ ('half') } : {}
    const answered = await route(webRequest(request, goneSignal(response), body))
    // The person is led back to what else is asked.
    if (questions !== null && request.method === 'POST' && answered.ok) response.setHeader('refresh', '3; url=.')
    await writeAnswer(answered, response)
  }

  await listening(server, HOST, port, { portFlag: '--consent-port' })
  const bound = /** @type {import('node:net').AddressInfo} */ (server.address())
  const address = `http://${HOST}:${bound.port}/${key === null ? '' : `${key}/`}`
  return {
    address,
    confirm: address + CONFIRM,
    close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      return /** @type {Promise<void>} */ (closed)
    },
  }
}

/**
 * The route refuses the pages of other origins. Browsers of messengers hide theirs, but the page is opened by none.
 * @param {IncomingMessage} request
 */
const foreignPage = ({ headers: { origin } }) => (origin === 'null' ? 'a page must say its origin' : null)

/**
 * What a path names: the page (''), its list, or a question. Null if it has not the key.
 * @param {string} url @param {string | null} key
 */
function placeOf(url, key) {
  const parts = new URL(url, `http://${HOST}`).pathname.slice(1).split('/')
  if (key === null) return parts.length === 1 && parts[0] === CONFIRM ? CONFIRM : null
  const [given, place, ...more] = parts
  if (more.length > 0 || !isSame(given, key)) return null
  return place === '' || place === 'list' || place === CONFIRM ? place : null
}

/** @param {string} text */
const digest = text => createHash('sha256').update(text).digest()

/** Takes as long for any other text. @param {string} given @param {string} key */
const isSame = (given, key) => timingSafeEqual(digest(given), digest(key))

/** @param {ServerResponse} response @param {number} status @param {string} text */
const send = (response, status, text) =>
  void response.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end(`${text}\n`)

module.exports = { serveConsent }
