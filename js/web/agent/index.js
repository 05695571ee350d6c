'use strict'

// The routes of an agent's page: one catch-all route of the app.

const { checkModelMeta } = require('../../answers/views.js')
const { checkOptionNames } = require('../../gate/option-checks.js')
const { createAuthenticator } = require('../../http/authentication.js')
const { createClientLimits } = require('../../http/client-limits.js')
const { HttpRefusal, errorListener, failureResponse } = require('../http-refusal.js')
const { checkHost, checkSource, hostPolicyOf } = require('../request-checks.js')
const { openKnownChat, openOrBeginChat, whileAttached } = require('./chat-session.js')
const { RouteLimits } = require('./limits.js')
const { routeOf } = require('./routes.js')
const { chatIdOf, visitorOf } = require('./visitor.js')

const OPTIONS = [
  'authenticate',
  'answer',
  'allowedHosts',
  'allowedOrigins',
  'session',
  'meta',
  'answerMs',
  'maxBodyBytes',
  'limits',
  'addressOf',
  'cookieSecret',
  'closing',
  'onError',
  'errorText',
]
const BROKE_OFF = 'the answer broke off: the model could not be reached, or failed'

/**
 * @typedef {import('./index.js').AgentRoutesOptions} AgentRoutesOptions
 * @typedef {import('./index.js').AgentRoutes} AgentRoutes
 * @typedef {import('./chat-session.js').Asked} Asked
 * @typedef {import('../../gate/registry.js').ToolRegistry} ToolRegistry
 */

/** @type {typeof import('./index.js').createAgentRoutes} */
function createAgentRoutes(source, options) {
  checkOptionNames(options, OPTIONS, 'agent routes')
  const { authenticate, answer, meta = 'full', errorText = () => BROKE_OFF } = options
  if (typeof answer !== 'function')
    throw new TypeError('`answer` is missing; it must be a function that calls `streamText` of the AI SDK')
  checkModelMeta(meta)
  const isKnownHost = hostPolicyOf(options)
  const onError = errorListener(options.onError)
  const identify = authenticate === undefined ? null : createAuthenticator(authenticate)
  const limit = new RouteLimits(options.limits ?? createClientLimits())
  /** @type {import('./routes.js').RouteSettings} */
  const settings = { ...options, answer, meta, onError, errorText, limit, running: new Set(), progress: new Map() }

  /** @param {Request} request @returns {Promise<Asked>} */
  const receive = async request => {
    checkHost(request, isKnownHost)
    await checkSource(request, options)
    limit.address(options.addressOf?.(request) ?? null)
    const registry = /** @type {ToolRegistry} */ (typeof source === 'function' ? await source() : source)
    const visitor = await visitorOf(request, { ...options, registry, identify, onError })
    limit.principal(visitor)
    return { request, registry, visitor, settings }
  }
  /** @param {Request} request @param {() => Promise<Response>} act */
  const answered = async (request, act) => {
    try {
      return await act()
    } catch (error) {
      return failureResponse(error, request, onError)
    }
  }
  /** @param {Request} request */
  const handle = request =>
    answered(request, async () => {
      const route = routeOf(request)
      return route(await receive(request))
    })
  return {
    GET: handle,
    POST: handle,
    DELETE: handle,
    respond: (request, act) => answered(request, async () => act(ownVisitor(await receive(request)))),
  }
}

/** Who sends a request to a route of the app's own. @param {Asked} asked @returns {import('./index.js').AgentVisitor} */
function ownVisitor(asked) {
  return {
    identity: asked.visitor.identity,
    async withSession(act, { id, resumeOnly = true } = {}) {
      const chatId = chatIdOf(id)
      const session = resumeOnly ? await openKnownChat(asked, chatId) : await openOrBeginChat(asked, chatId)
      if (session === null) throw new HttpRefusal(401, 'AUTH', 'this browser has no session: send a message first')
      return whileAttached(session, () => act(/** @type {import('toolgate').Session} */ (session)))
    },
  }
}

module.exports = { createAgentRoutes }
