'use strict'

// `toolgate mcp`: serves the built tools to MCP clients, over standard input and output or over HTTP.

const { existsSync } = require('node:fs')
const path = require('node:path')

const { compile } = require('../compiler.js')
const { counted } = require('../counted.js')
const { checkArtifact } = require('../doctor/tools.js')
const { CommandFailure, EXIT, UsageError } = require('../exit.js')
const { printCoreWarning } = require('../core-warnings.js')
const { handlerErrorText } = require('../handler-error-text.js')
const { checkConsentFlags, consentOf, takesConsent } = require('../mcp/asking-place.js')
const { KnownRoles } = require('../mcp/known-roles.js')
const { addLockCommands } = require('../mcp/lock-commands.js')
const { loadServices } = require('../mcp/services.js')
const {
  parsePort,
  parseMilliseconds,
  parseNames,
  requireSources,
  settingsOf,
  takesSources,
} = require('../command-settings.js')
const { takeStdout } = require('../reserved-stdout.js')
const { suggestion } = require('../../tool-sets/suggest.js')
const { choiceOf, takesStore } = require('../store-option.js')
const { harmless } = require('../terminal.js')
const { readToolSet, takesArtifact } = require('../load-tool-set.js')

const MODES = ['text', 'voice', 'webcam']
const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 8789
/** Time for running calls at shutdown. Clients kill a server about four seconds after they closed its input. */
const SHUTDOWN_TIMEOUT_MS = 3000
/** @type {Record<'port' | 'host' | 'allowHost' | 'allowOrigin' | 'authenticate' | 'allowAnonymous' | 'tokensFrom' | 'scopes', string>} */
const HTTP_FLAGS = {
  port: '--port',
  host: '--host',
  allowHost: '--allow-host',
  allowOrigin: '--allow-origin',
  authenticate: '--authenticate',
  allowAnonymous: '--allow-anonymous',
  tokensFrom: '--tokens-from',
  scopes: '--scopes',
}

/** @param {string} text */
const log = text => process.stderr.write(harmless(`toolgate: ${text}\n`))

/**
 * @typedef {import('../command-settings.js').Settings} Settings
 * @typedef {import('../command-settings.js').SourceFlags & import('../mcp/asking-place.js').ConsentFlags & { artifact?: string, mode: string, roles?: string[], services?: string,
 *   store?: string, audit?: string, turnGap?: number, http?: boolean, port?: number, host?: string, allowHost?: string[],
 *   allowOrigin?: string[], authenticate?: string, allowAnonymous?: boolean, tokensFrom?: string[], scopes?: string[] }} McpFlags as `options` describes them
 * @typedef {{ url?: string, isOpen?: boolean, ended?: Promise<void>, close(): Promise<void> }} Serving
 */

/** @param {string | undefined} folder @param {McpFlags} flags */
async function run(folder, flags) {
  const settings = settingsOf(folder, flags)
  checkFlags(flags, settings)
  const { serveHttp } = /** @type {typeof import('../mcp/http.js')} */ (requireServing('../mcp/http.js'))
  const { serveStdio } = /** @type {typeof import('../mcp/stdio.js')} */ (requireServing('../mcp/stdio.js'))
  checkSdk()
  const roles = new KnownRoles(flags.roles)
  const given = await authenticateOf(flags)
  const authenticate = given && roles.noting(given)
  const stdout = flags.http ? null : takeStdout()
  const stopped = stopping()
  const consent = await consentOf(flags)
  const registry = await openRegistry(await artifactOf(settings, flags), settings, flags, consent.onConfirmation)
  try {
    await consent.start(registry, ({ principal }) => ({ roles: roles.of(principal) }), log)
    const options = {
      ...consent.options,
      session: { mode: flags.mode, roles: flags.roles },
      turnGapMs: flags.turnGap,
      onError: logTransportError,
    }
    /** @type {Serving} */
    const serving = flags.http
      ? await serveHttp(registry, {
          ...options,
          host: flags.host ?? DEFAULT_HOST,
          port: flags.port ?? DEFAULT_PORT,
          allowedHosts: flags.allowHost,
          allowedOrigins: flags.allowOrigin,
          authenticate,
          authorization: authorizationOf(flags),
          ...limitsOf(process.env),
        })
      : await serveStdio(registry, /** @type {ReturnType<typeof takeStdout>} */ (stdout), options)
    announce(registry, serving, flags)
    await Promise.race([stopped, ...(serving.ended ? [serving.ended] : [])])
    // Running calls may end and be answered before the connection closes.
    await registry.close({ timeoutMs: SHUTDOWN_TIMEOUT_MS })
    await serving.close()
  } finally {
    await consent.close()
    await registry.close()
  }
  // A handler that never ends must not keep the process alive.
  process.exit(EXIT.ok)
}

/** @param {McpFlags} flags @param {Settings} settings */
function checkFlags(flags, { modes = [] }) {
  const known = [...MODES, ...modes]
  if (!known.includes(flags.mode))
    throw new UsageError(`there is no mode \`${flags.mode}\``, suggestion(flags.mode, known))
  const httpFlags = /** @type {(keyof typeof HTTP_FLAGS)[]} */ (Object.keys(HTTP_FLAGS))
  const stray = httpFlags.find(name => flags[name] !== undefined && !flags.http)
  if (stray !== undefined) throw new UsageError(`\`${HTTP_FLAGS[stray]}\` needs \`--http\``, 'give both, or neither')
  checkConsentFlags(flags)
  // A wrong store is refused before anything is opened.
  choiceOf(flags)
  checkNames(flags)
}

/** @param {McpFlags} flags */
function checkNames({ allowHost = [], allowOrigin = [] }) {
  const { checkedOrigins } = require('../../http/allowed-origins.js')
  const { checkedHosts } = require('../../http/host-policy.js')
  try {
    checkedHosts(allowHost)
    checkedOrigins(allowOrigin)
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message, 'correct `--allow-host` or `--allow-origin`')
  }
}

/** The function of `--authenticate`. @param {McpFlags} flags */
async function authenticateOf({ http, host = DEFAULT_HOST, authenticate: file, allowAnonymous }) {
  if (!http) return undefined
  const { isLoopbackAddress } = require('../../http/address-set.js')
  const { loadAuthenticate } = require('../../http/authentication.js')
  const authenticate = await loadAuthenticate(file).catch(cause => {
    throw new CommandFailure(cause.message, 'give `--authenticate` a module that exports `authenticate(request)`')
  })
  const isLocal = host === 'localhost' || isLoopbackAddress(host)
  if (isLocal || authenticate !== undefined || allowAnonymous) return authenticate
  const hint = 'give `--authenticate <file>`; `--allow-anonymous` lets every client call these tools'
  throw new CommandFailure(`other machines can reach \`${host}\`, and no client would have to say who it is`, hint)
}

/** Where clients get the tokens that `--authenticate` checks. @param {McpFlags} flags */
function authorizationOf({ tokensFrom: servers, scopes, authenticate }) {
  if (servers === undefined && scopes === undefined) return undefined
  const { ResourceMetadata } = require('../../mcp/resource-metadata.js')
  const authorization = { servers: servers ?? [], scopes }
  try {
    void new ResourceMetadata(authorization, authenticate !== undefined)
    return authorization
  } catch (error) {
    const hint = 'give `--authenticate <file>`, and `--tokens-from` the URLs of the servers that issue the tokens'
    throw new CommandFailure(/** @type {Error} */ (error).message, hint)
  }
}

/** What one client may use, and which proxies are believed. @param {NodeJS.ProcessEnv} env */
function limitsOf(env) {
  const { createAddressSet } = require('../../http/address-set.js')
  const { clientLimitsOf } = require('../../http/client-limits.js')
  try {
    const trustedProxies = (env.TOOLGATE_TRUSTED_PROXIES ?? '').split(',').map(entry => entry.trim())
    const options = { trustedProxies: trustedProxies.filter(entry => entry !== ''), clientLimits: clientLimitsOf(env) }
    createAddressSet(options.trustedProxies)
    return options
  } catch (error) {
    throw new CommandFailure(/** @type {Error} */ (error).message, 'docs/mcp.md lists the settings')
  }
}

/** Loads a module that needs the addon. @param {string} module @returns {unknown} */
function requireServing(module) {
  try {
    return require(module)
  } catch {
    throw new CommandFailure(
      "the native part of toolgate can't be loaded",
      'run `toolgate doctor`: it names the missing part',
    )
  }
}

function checkSdk() {
  try {
    return require('../../mcp/sdk.js').sdk.server
  } catch (cause) {
    if (/** @type {NodeJS.ErrnoException} */ (cause).code !== 'MCP_SDK_MISSING') throw cause
    throw new CommandFailure(
      '`toolgate mcp` needs the package `@modelcontextprotocol/server`',
      'install it: `npm install @modelcontextprotocol/server`',
    )
  }
}

/** Resolves at the first signal; a second signal ends the process at once. @returns {Promise<void>} */
function stopping() {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve())
  })
}

/**
 * The path of the last built tool set; logs if it is out of date. @returns {Promise<string>}
 * @param {Settings} settings
 * @param {McpFlags} flags
 */
async function artifactOf(settings, { artifact }) {
  if (artifact !== undefined) {
    // Read for its error message, which is that of the other commands; the registry reads it again.
    readToolSet(artifact)
    return path.resolve(artifact)
  }
  const file = path.join(settings.outDir, 'tool_registry.json')
  requireSources(settings)
  const { status, message, help } = checkArtifact(await compile(settings, 'nothing'), settings)
  if (!existsSync(file)) throw new CommandFailure(message, help)
  if (status !== 'ok') log(`${message}; ${help}`)
  return file
}

/**
 * @param {string} artifact
 * @param {Settings} settings
 * @param {McpFlags} flags
 * @param {import('toolgate').RegistryOptions['onConfirmation']} onConfirmation
 * @returns {Promise<import('toolgate').ToolRegistry>}
 */
async function openRegistry(artifact, { modes = [], sourcesDir }, { services: file, audit, store }, onConfirmation) {
  const { createRegistry } = require('../../gate/registries.js')
  const services = await loadServices(file, artifact)
  const registry = createRegistry({
    artifact,
    sources: sourcesDir,
    services,
    store: choiceOf({ store }),
    modes: Object.fromEntries(modes.map(name => [name, {}])),
    audit: audit === undefined ? 'none' : { file: path.resolve(audit) },
    // A stray error of one handler must not end the server for all clients.
    strayErrors: 'report',
    onLog: printCoreWarning,
    onConfirmation,
    onHandlerError: (error, { toolId }) => log(handlerErrorText(error, toolId)),
  })
  try {
    return await registry.load()
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause)
    if (code === undefined) throw cause
    throw new CommandFailure(message)
  }
}

/** Logs only the kind of the error: frames can contain private data. @param {NodeJS.ErrnoException} error */
const logTransportError = error => log(`a message could not be read or sent (${error?.code ?? error?.name})`)

/** @param {import('toolgate').ToolRegistry} registry @param {Serving} serving @param {McpFlags} flags */
function announce(registry, { url, isOpen }, { mode, services }) {
  const served = registry.getProviderSchemas('mcp', { mode })
  log(
    `${counted(served.length, 'tool')} of version ${registry.getVersion()}, mode ${mode}, ${url === undefined ? 'on standard input and output' : `at ${url}`}`,
  )
  if (url === undefined && process.stdin.isTTY)
    log(
      'waiting for a client on standard input; clients usually start this command themselves. Ctrl-C ends it, --http serves over HTTP',
    )
  const hidden = registry.hidden().filter(({ toolId }) => registry.tools.get(toolId)?.allowedModes.includes(mode))
  if (hidden.length > 0) {
    const needed = [...new Set(hidden.flatMap(tool => tool.missingServices))].map(name => `\`${name}\``).join(', ')
    log(
      `not served, because a service is missing: ${hidden.map(({ toolId }) => toolId).join(', ')}; ${services === undefined ? `name a module that exports ${needed} with --services` : `the module of --services must export ${needed}`}`,
    )
  }
  if (isOpen)
    log(
      'other machines may reach this server, and there is no authentication: every client that reaches it can call these tools',
    )
}

/** @param {import('commander').Command} command */
function options(command) {
  addLockCommands(command)
  return takesStore(takesConsent(takesArtifact(takesSources(command))))
    .option('--mode <name>', 'mode of the session: decides the available tools and their budgets', 'text')
    .option('--roles <names>', 'roles that the client holds', parseNames)
    .option(
      '--services <file>',
      'a module whose default export is an object of services for handlers, or a function that creates it',
    )
    .option('--audit <file>', 'write the audit log to this file, one JSON line for each event')
    .option(
      '--turn-gap <ms>',
      'a call after a pause of this length begins a new turn, with new budgets (default: 10000)',
      parseMilliseconds,
    )
    .option('--http', `serve any number of clients over streamable HTTP, at /mcp`)
    .option('--port <number>', `with --http: the port, 0 for a free one (default: ${DEFAULT_PORT})`, parsePort)
    .option('--host <address>', `with --http: the address to listen at (default: ${DEFAULT_HOST}, this machine alone)`)
    .option('--allow-host <names>', 'with --http: host names under which clients may reach this server', parseNames)
    .option(
      '--allow-origin <origins>',
      'with --http: origins of web pages that may use it, such as https://app.example',
      parseNames,
    )
    .option('--authenticate <file>', 'with --http: a module that exports `authenticate(request)`: who makes a request')
    .option('--allow-anonymous', 'with --http: take every client, also of other machines')
    .option('--tokens-from <urls>', 'with --http: the authorization servers that issue the tokens', parseNames)
    .option('--scopes <names>', 'with --tokens-from: the scopes that clients ask for', parseNames)
}

module.exports = {
  name: 'mcp',
  summary: 'serve the tools to MCP clients',
  description: `Serves the built tools to clients of the Model Context Protocol: to one client over standard input and output, or with --http
to any number. Every call goes through the gate, in a session that ends with its client. For a call that needs consent the
client asks its user (elicitation), or with --consent page a page of this command does. Needs the package @modelcontextprotocol/server.`,
  examples: ['toolgate mcp', 'toolgate mcp src/tools --services services.mjs', 'toolgate mcp --http --port 8789'],
  options,
  run,
}
