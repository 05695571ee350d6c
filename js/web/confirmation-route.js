'use strict'

// The route of links to confirmations: whoever has a link decides about one confirmation. The signature of the link is all that
// a request shows, so another site's page can't make one up; and none decides with one that it was given. Whether a confirmation is pending, and that it runs once, is the
// core's.

const { RegistryVersionMismatch, httpStatus } = require('../answers/errors.js')
const { checkOptionNames } = require('../gate/option-checks.js')
const { checkedOrigins } = require('../http/allowed-origins.js')
const { answeredArgs, isServerQuestion } = require('../gate/server-question-form.js')
const { isInstance, memberOf } = require('../values/foreign.js')
const { formValues, linkFields } = require('./answer-form.js')
const { changedByForm, grantByForm, offeredChanges } = require('./change-form.js')
const { confirmationPage } = require('./confirmation-page.js')
const { HttpRefusal, errorListener, jsonResponse, refusalOf } = require('./http-refusal.js')
const { checkOrigin, checkSource, jsonMembers, readBody } = require('./request-checks.js')

const OPTIONS = ['session', 'approver', 'changes', 'allowedOrigins', 'onError']
const MAX_BODY_BYTES = 65_536
const EXAMPLE = '{ "decision": "confirm" }'
/** The way in which the answer came, in audit lines. */
const VIA = 'link'
/** In development a session begun with other tools is not continued. */
const CHANGED = 'the tools have changed since this was asked; ask again in a new conversation'
/** The words of the tool are the model's: they may have what the link does not show. */
const FAILED = 'it was confirmed, and failed: the conversation has its answer'
/** Of the answer to a server's question, which is asked again. */
const UNFIT = 'this answer does not fit, and you are asked again'
/** The store keeps nothing of either. */
const GONE = 'this was denied, or its conversation has ended'

/**
 * @typedef {import('../gate/registry.js').ToolRegistry} ToolRegistry
 * @typedef {import('../gate/session.js').Session} Session
 * @typedef {import('../gate/confirmations.js').FoundConfirmation & { sessionId: string }} FoundLink
 * @typedef {import('./index.js').ConfirmationRouteOptions} RouteOptions
 * @typedef {import('./index.js').LinkAnswer} LinkAnswer
 * @typedef {{ decision: 'confirm' | 'deny', reason?: string, content?: unknown, args?: unknown, grant?: unknown }} LinkDecision
 *   `content`: a form's fields, or the answer to a server's question by name; `args`, `grant`: the changes of JSON
 */

/** @type {typeof import('./index.js').createConfirmationRoute} */
function createConfirmationRoute(registry, options = {}) {
  checkOptionNames(options, OPTIONS, 'confirmation route')
  if (Array.isArray(options.allowedOrigins)) checkedOrigins(options.allowedOrigins)
  const onError = errorListener(options.onError)
  return async request => {
    try {
      const { status = 200, ...answer } = await answerOf(registry, options, request)
      return respond(request, answer, status)
    } catch (error) {
      const given = isInstance(error, HttpRefusal) ? undefined : await onError(error, request)
      if (given !== undefined) return given
      const { status, type, message, headers } = refusalOf(error)
      return respond(request, { state: 'refused', error: { type, message } }, status, headers)
    }
  }
}

/**
 * @param {import('./index.js').RegistrySource} source @param {RouteOptions} options @param {Request} request
 * @returns {Promise<LinkAnswer & { status?: number }>}
 */
async function answerOf(source, options, request) {
  const { method } = request
  if (!['GET', 'HEAD', 'POST'].includes(method))
    throw new HttpRefusal(405, 'VALIDATION', `\`${method}\` is not supported; use \`GET\` or \`POST\``, {
      allow: 'GET, HEAD, POST',
    })
  // Browsers of messengers hide the origin of the page of a link.
  if (method === 'POST' && request.headers.get('origin') !== 'null') await checkSource(request, options)
  const decision = method === 'POST' ? await readDecision(request) : null
  const registry = /** @type {ToolRegistry} */ (typeof source === 'function' ? await source() : source)
  const linked = await findLinked(registry, request)
  return decision === null ? shown(registry, linked, options) : decide({ registry, options, request, linked }, decision)
}

/** @param {Request} request @returns {Promise<LinkDecision>} */
async function readDecision(request) {
  const type = request.headers.get('content-type') ?? ''
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)
  if (!isForm && !/^application\/json\s*(;|$)/i.test(type))
    throw new HttpRefusal(415, 'VALIDATION', 'the decision must be sent as a form, or as `application/json`')
  const text = (await readBody(request, MAX_BODY_BYTES, 'the body is')).toString()
  const { decision, reason, content, args, grant } = isForm ? formFields(text) : jsonMembers(text, EXAMPLE)
  if (decision !== 'confirm' && decision !== 'deny')
    throw new HttpRefusal(400, 'VALIDATION', '`decision` must be `confirm` or `deny`')
  return { decision, reason: typeof reason === 'string' && reason !== '' ? reason : undefined, content, args, grant }
}

/** A field that is there twice has no value. @param {string} text @returns {Record<string, unknown>} */
function formFields(text) {
  const fields = new URLSearchParams(text)
  const only = (/** @type {string} */ name) => (fields.getAll(name).length === 1 ? fields.get(name) : undefined)
  return { decision: only('decision'), reason: only('reason'), content: fields }
}

/** The pending confirmation of the link. @param {ToolRegistry} registry @param {Request} request @returns {Promise<FoundLink>} */
async function findLinked(registry, request) {
  const texts = new URL(request.url).searchParams.getAll('confirmation')
  const link = texts.length === 1 ? await registry.confirmations.read(texts[0]) : null
  if (link === null) throw new HttpRefusal(403, 'AUTH', 'this link is not valid')
  const found = await registry.confirmations.find(link.sessionId, link.id)
  if (found === null) throw closed(GONE)
  if (found.state === 'confirmed') throw closed('this was confirmed before; it does not run again')
  const linked = { ...found, sessionId: link.sessionId }
  if (found.state === 'expired') {
    await registry.confirmations.reportExpiry(linked)
    throw closed('the time to answer is over; nothing has run')
  }
  if (link.expires <= Date.now()) throw closed('this link has expired')
  return linked
}

/** @param {string} message */
const closed = message => new HttpRefusal(410, 'CONFIRMATION_EXPIRED', message)

/** @param {ToolRegistry} registry @param {FoundLink} linked @param {RouteOptions} options @returns {LinkAnswer} */
function shown(registry, linked, options) {
  const { id, tool, preview, expires, args, approvers, confirmations } = linked
  const decided = approvers && { approvers, confirmations }
  if (isServerQuestion({ tool }))
    return { state: 'pending', confirmation: { id, tool, preview, expires, arguments: [], fields: linkFields(args) } }
  const rows = registry.confirmations.showArguments(tool, args)
  const changes = options.changes && { changes: offeredChanges(registry.tools.get(tool), linked, rows) }
  return { state: 'pending', confirmation: { id, tool, preview, expires, arguments: rows, ...decided, ...changes } }
}

/**
 * @param {{ registry: ToolRegistry, options: RouteOptions, request: Request, linked: FoundLink }} asked
 * @param {LinkDecision} decided
 * @returns {Promise<LinkAnswer & { status?: number }>}
 */
async function decide({ registry, options, request, linked }, { decision, reason, ...answer }) {
  const { id, sessionId, principal, tool, mode, token, approvers } = linked
  const named = { id, sessionId, principal, tool, mode }
  const approver = approvers && (await approverOf(options, { ...named, approvers }, request))
  const given = await options.session?.(named, request)
  const attach = { mode: 'text', exclusive: false, ...given, ...owned(sessionId) }
  const session = await registry.confirmations.open(id, attach).catch(error => {
    if (isInstance(error, RegistryVersionMismatch)) throw new HttpRefusal(409, 'CONFLICT', CHANGED)
    // It was answered since the link was read.
    throw memberOf(error, 'type') === 'SESSION_INACTIVE' ? closed(GONE) : error
  })
  try {
    if (decision === 'confirm') {
      const changes = changesOf(registry, linked, options, answer)
      return await confirm(session, registry, linked, { approver, ...changes })
    }
    if (!(await session.deny(token, reason, { via: VIA, approver }))) throw closed('this was answered before')
    return { state: 'denied' }
  } finally {
    await session.detach()
  }
}

/**
 * Who decides in place of the session's user: the link alone shows no person.
 * @param {RouteOptions} options @param {import('./index.js').ApprovedConfirmation} confirmation @param {Request} request
 */
async function approverOf(options, confirmation, request) {
  checkSite(request)
  const approver = await options.approver?.(confirmation, request)
  if (!approver)
    throw new HttpRefusal(403, 'AUTH', `this is decided by who has a role: ${confirmation.approvers.roles.join(', ')}`)
  return approver
}

/**
 * A person is known by what their browser sends by itself: another site's page must not make it decide. Browsers send
 * `sec-fetch-site` over TLS and to localhost only, and old ones never; all of them send `origin`.
 * @param {Request} request
 */
function checkSite(request) {
  const site = request.headers.get('sec-fetch-site')
  if (site === null) return checkOrigin(request, [new URL(request.url).origin])
  if (site !== 'same-origin' && site !== 'none')
    throw new HttpRefusal(403, 'AUTH', 'this is decided on its own page only')
}

/** The session is that of the confirmation, whatever the host gives. @param {string} sessionId */
const owned = sessionId => ({ sessionId, resumeOnly: true, principal: undefined, resumeToken: undefined })

/**
 * @param {Session} session @param {ToolRegistry} registry @param {FoundLink} linked
 * @param {import('../../index.js').ConfirmOptions} answer
 * @returns {Promise<LinkAnswer & { status?: number }>}
 */
async function confirm(session, registry, linked, answer) {
  const { id, sessionId, token } = linked
  const response = await session.confirm(token, { via: VIA, ...answer })
  const unfit = isServerQuestion(linked) && memberOf(response, 'data') && memberOf(memberOf(response, 'data'), 'unfit')
  if (typeof unfit === 'string') {
    const error = /** @type {const} */ ({ type: 'VALIDATION', message: `${UNFIT}: ${unfit}` })
    return { state: 'confirmed', ok: false, error, status: httpStatus(error.type) }
  }
  if (response.ok) return { state: 'confirmed', ok: true }
  const { type, message, details } = response.error
  if (type === 'CONFIRMATION_REQUIRED') {
    const { confirmations, count } = /** @type {{ confirmations: number, count: number }} */ (details)
    return { state: 'counted', confirmations, count }
  }
  if (type === 'CONFIRMATION_EXPIRED') throw closed(message)
  // What was refused before it ran is still pending; what has run and failed is decided.
  const after = await registry.confirmations.find(sessionId, id)
  if (after?.state === 'confirmed') return { state: 'confirmed', ok: false, error: { type, message: FAILED } }
  return { state: 'refused', error: { type, message }, status: httpStatus(type) }
}

/**
 * What the decision changes of the call.
 * @param {ToolRegistry} registry @param {FoundLink} linked @param {RouteOptions} options @param {Omit<LinkDecision, 'decision'>} answer
 * @returns {Pick<import('../../index.js').ConfirmOptions, 'args' | 'grant'>}
 */
function changesOf(registry, linked, { changes = false }, { content, args, grant }) {
  if (isServerQuestion(linked)) return { args: answerOfServer(linked, content) }
  if (!changes && (args !== undefined || grant !== undefined))
    throw new HttpRefusal(400, 'VALIDATION', 'this link confirms or denies; it changes and grants nothing')
  if (!changes) return {}
  if (!isInstance(content, URLSearchParams)) return /** @type {object} foreign; the core checks it */ ({ args, grant })
  const rows = registry.confirmations.showArguments(linked.tool, linked.args)
  const tool = registry.tools.get(linked.tool)
  return /** @type {object} as above */ ({
    args: changedByForm(tool, linked, rows, content),
    grant: grantByForm(content),
  })
}

/** @param {FoundLink} linked @param {unknown} content */
function answerOfServer({ args }, content) {
  return answeredArgs(args, isInstance(content, URLSearchParams) ? formValues(args, content) : content)
}

/**
 * A link is a secret in a URL: no cache keeps the page, no frame shows it, and no other server gets its address. With
 * `no-referrer` the page's own form would come without its origin.
 * @param {Request} request @param {LinkAnswer} answer @param {number} status @param {Record<string, string>} [more]
 */
function respond(request, answer, status, more) {
  const headers = { 'referrer-policy': 'same-origin', 'x-robots-tag': 'noindex, nofollow', vary: 'accept', ...more }
  const isPage = /\btext\/html\b/i.test(request.headers.get('accept') ?? '')
  const response = isPage ? confirmationPage(answer, status, headers) : jsonResponse(answer, status, headers)
  return request.method === 'HEAD' ? new Response(null, response) : response
}

module.exports = { createConfirmationRoute }
