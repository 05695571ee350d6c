'use strict'

// The flags of `toolgate mcp` for where its users are asked, and what they start: a page of its own, or links that a module sends.

const path = require('node:path')
const { pathToFileURL } = require('node:url')

const { parseMilliseconds, parsePort } = require('../command-settings.js')
const { CommandFailure, UsageError } = require('../exit.js')
const { messageOf } = require('../../values/foreign.js')
const { OpenQuestions } = require('./open-questions.js')
const { openInBrowser } = require('./open-in-browser.js')

const CHOICES = /** @type {const} */ (['client', 'page', 'client-or-page', 'link', 'client-or-link'])
const BY_LINK = 'by the link that was sent to them'
const ON_PAGE = "on Toolgate's page of confirmations, whose address is in the log of this server"
const EXAMPLE =
  'export a function as default: `export default async function ({ type, preview, principal }, link) { … }`'

/**
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('toolgate').ConfirmationEvent} ConfirmationEvent
 * @typedef {import('../../web/index').ConfirmationRouteOptions} RouteOptions
 * @typedef {{ consent?: string, consentWait?: number, consentPort?: number, confirmationsTo?: string, linkBase?: string, open?: boolean }} ConsentFlags
 * @typedef {{ send: (event: ConfirmationEvent, link: string | null) => unknown, approver?: RouteOptions['approver'] }} Sender
 * @typedef {object} AskingPlace
 * @property {Pick<import('../../mcp/index').McpServerOptions, 'consent' | 'consentWaitMs' | 'consentPlace'>} options of the server
 * @property {(event: ConfirmationEvent) => unknown} [onConfirmation]
 * @property {(registry: ToolRegistry, session: RouteOptions['session'], log: (text: string) => void) => Promise<void>} start
 * @property {() => Promise<void>} close
 */

/** @param {ConsentFlags} flags @throws {UsageError} */
function checkConsentFlags({ consent = 'client', consentWait, consentPort, confirmationsTo, linkBase, open = true }) {
  const choices = CHOICES.map(choice => `\`${choice}\``).join(', ')
  if (!CHOICES.some(choice => choice === consent))
    throw new UsageError(`\`--consent ${consent}\` is not known`, `there are ${choices}`)
  const kind = kindOf(consent)
  /** @type {[string, unknown, boolean][]} */
  const needs = [
    ['--consent-wait', consentWait, kind !== null],
    ['--consent-port', consentPort, kind !== null],
    ['--no-open', open ? undefined : true, kind === 'page'],
    ['--confirmations-to', confirmationsTo, kind === 'link'],
    ['--link-base', linkBase, kind === 'link'],
  ]
  const [stray] = needs.find(([, value, isUsed]) => value !== undefined && !isUsed) ?? []
  if (stray !== undefined) {
    const needed =
      stray === '--no-open'
        ? '`--consent page`'
        : stray.startsWith('--consent')
          ? '`--consent page` or `link`'
          : '`--consent link`'
    throw new UsageError(`\`${stray}\` needs ${needed}`, 'give both, or neither')
  }
  if (kind === 'link' && confirmationsTo === undefined)
    throw new UsageError('`--consent link` needs `--confirmations-to <file>`', 'name the module that sends the links')
  if (linkBase !== undefined && !/^https?:$/.test(URL.canParse(linkBase) ? new URL(linkBase).protocol : ''))
    throw new UsageError('`--link-base` is not a URL', 'write it like `https://tools.example/confirm`')
}

/** @param {string | undefined} consent @returns {'page' | 'link' | null} */
const kindOf = consent => (consent?.endsWith('page') ? 'page' : consent?.endsWith('link') ? 'link' : null)

/** @param {ConsentFlags} flags checked @returns {Promise<AskingPlace>} @throws {CommandFailure} */
async function consentOf(flags) {
  const kind = kindOf(flags.consent)
  if (kind === null) return { options: {}, start: async () => {}, close: async () => {} }
  const consent = flags.consent?.startsWith('client') ? 'client-or-elsewhere' : 'elsewhere'
  /** @type {AskingPlace['options']} */
  const options = { consent, consentPlace: kind === 'link' ? BY_LINK : placeOfPage(flags) }
  if (flags.consentWait !== undefined) options.consentWaitMs = flags.consentWait
  return kind === 'page'
    ? withPage(flags, options)
    : withLinks(flags, options, await senderOf(flags.confirmationsTo ?? ''))
}

/** @param {ConsentFlags} flags */
const placeOfPage = ({ open = true }) => (open ? `in their browser, ${ON_PAGE}` : ON_PAGE)

/** @param {ConsentFlags} flags @param {AskingPlace['options']} options @returns {AskingPlace} */
function withPage({ consentPort: port = 0, open = true }, options) {
  const questions = new OpenQuestions()
  /** @type {Awaited<ReturnType<typeof import('./consent-server.js').serveConsent>> | null} */
  let serving = null
  let leave = () => {}
  return {
    options,
    onConfirmation: event => questions.changed(event),
    async start(registry, session, log) {
      const { serveConsent } = require('./consent-server.js')
      serving = await serveConsent(registry, { port, questions, route: { session, changes: true } })
      // The address ends the line: terminals take what follows for a part of it.
      log(`calls are confirmed at the following address, by whoever has it: ${serving.address}`)
      if (open) leave = openInBrowser(serving.address)
    },
    async close() {
      leave()
      await serving?.close()
    },
  }
}

/** @param {ConsentFlags} flags @param {AskingPlace['options']} options @param {Sender} sender @returns {AskingPlace} */
function withLinks({ consentPort: port = 0, linkBase }, options, { send, approver }) {
  /** @type {Awaited<ReturnType<typeof import('./consent-server.js').serveConsent>> | null} */
  let serving = null
  /** @type {ToolRegistry | null} */
  let served = null
  const linkTo = async (/** @type {ConfirmationEvent} */ { id, sessionId }) => {
    const baseUrl = linkBase ?? serving?.confirm
    return served === null || baseUrl === undefined ? null : served.confirmationLink(id, { sessionId, baseUrl })
  }
  return {
    options,
    async onConfirmation(event) {
      await send(event, event.type === 'requested' ? await linkTo(event) : null)
    },
    async start(registry, session, log) {
      const { serveConsent } = require('./consent-server.js')
      const proxy =
        linkBase === undefined ? {} : { hosts: [new URL(linkBase).hostname], origins: [new URL(linkBase).origin] }
      serving = await serveConsent(registry, {
        port,
        questions: null,
        route: { session, approver, changes: true },
        ...proxy,
      })
      served = registry
      log(`links to confirmations are answered at ${serving.confirm}`)
    },
    async close() {
      await serving?.close()
    },
  }
}

/** The module that sends the links. @param {string} file @returns {Promise<Sender>} @throws {CommandFailure} */
async function senderOf(file) {
  const module = await import(pathToFileURL(path.resolve(file)).href).catch(cause => {
    throw new CommandFailure(`\`${file}\` can't be loaded: ${messageOf(cause).split('\n', 1)[0]}`, EXAMPLE)
  })
  const { default: send, approver } = module
  if (typeof send === 'function' && (approver === undefined || typeof approver === 'function'))
    return { send, approver }
  throw new CommandFailure(`\`${file}\` sends no links`, EXAMPLE)
}

/** @param {import('commander').Command} command */
function takesConsent(command) {
  return command
    .option('--consent <where>', `where users confirm calls: ${CHOICES.join(', ')}`, 'client')
    .option('--consent-wait <ms>', 'how long a call waits for them there (default: 50000)', parseMilliseconds)
    .option(
      '--consent-port <number>',
      'the port of the page, or of the links, on this machine (default: a free one)',
      parsePort,
    )
    .option('--no-open', 'with --consent page: do not open it in the browser')
    .option('--confirmations-to <file>', 'with --consent link: a module whose default export sends the links')
    .option('--link-base <url>', 'with --consent link: the public URL of the links, if a proxy passes them on')
}

module.exports = { checkConsentFlags, consentOf, takesConsent }
