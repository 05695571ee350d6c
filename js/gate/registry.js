'use strict'

// The registry's JavaScript API: loads a tool set, creates sessions. What it says of its tools is in tool-descriptions.js.

const native = require('../../native.js')
const { artifactToLoad } = require('../tool-sets/artifact.js')
const { shippedTools } = require('../tool-sets/shipped-tools.js')
const { withDeclarationCounts } = require('../tool-sets/declaration-counts.js')
const { RegistryLoadError } = require('../answers/errors.js')
const { DirectCalls, executeWithin } = require('./direct-calls.js')
const timers = require('./timers.js')
const { completionEnd } = require('../handlers/handler-end.js')
const { HandlerHost } = require('../handlers/handler-host.js')
const { Confirmations } = require('./confirmations.js')
const { HostListeners } = require('./host-listeners.js')
const { shippedSetLine } = require('../tool-sets/hidden-tools.js')
const { wellFormedJsonText } = require('../values/json-text.js')
const { MessageReader } = require('./native-messages.js')
const { withTypeErrors } = require('./type-errors.js')
const { milliseconds } = require('./option-checks.js')
const { checkRegistryOptions, nativeOptions, sessionIdleMs, sessionOptions } = require('./options.js')
const { AttachmentContext } = require('./attachment-context.js')
const { BUILT_IN_SERVICE, checkServiceNames, serviceNames, withRegistryService } = require('./registry-service.js')
const { Session } = require('./session.js')
const { StrayErrorGuard } = require('./stray-error-guard.js')
const { ToolDescriptions } = require('./tool-descriptions.js')
const { reconcileCalls } = require('./reconcile.js')
const { RegistrySources } = require('./registry-sources.js')
const { readValue, sessionError } = require('./session-error.js')
const { PendingCalls } = require('./pending-calls.js')
const { keepModes } = require('../tool-sets/registry-modes.js')
const { staleArtifactLine } = require('../tool-sets/stale-artifact.js')
const { readAhead, setToLoad } = require('../tool-sets/set-ahead.js')
const { readToolSet } = require('../tool-sets/tool-set.js')
const { checkToolsVersion, mismatchLine } = require('../tool-sets/tools-version.js')
const { validatedArgs } = require('./validated-args.js')
const { VoiceAttachments } = require('./voice-attachments.js')
const { unloadedHealth } = require('./unloaded-health.js')
const { watchFile } = require('./watch-file.js')

/**
 * @typedef {import('../../index.js').RegistryOptions} RegistryOptions
 * @typedef {import('../../index.js').SessionOptions} SessionOptions
 * @typedef {import('../../index.js').ExecutionContext} ExecutionContext
 * @typedef {import('../../native.js').NativeGate} NativeGate
 * @typedef {import('../tool-sets/tool-set.js').ToolSet} ToolSet
 * @typedef {(registry: ToolRegistry) => Promise<Record<string, object>>} DefaultServices
 */

const NOT_LOADED = 'the registry is not loaded; `await registry.load()` first; the process-wide one is `toolRegistry`'

class ToolRegistry extends ToolDescriptions {
  /** @type {RegistryOptions} */
  #options
  /** Null until it is loaded. @type {NativeGate | null} */
  #native = null
  /** @type {(...end: import('../handlers/handler-host.js').HandlerEnd) => string | null} */
  #settle = () => null
  /** @type {Promise<this> | null} */
  #loading = null
  #pendingCalls = new PendingCalls(messages => this.#messages.read(messages))
  #host
  #messages
  #directCalls = new DirectCalls({
    createSession: (options, hostView) => this.#createSession(options, hostView),
    tool: toolId => this.#loaded().tool(toolId),
    getVersion: () => this.getVersion(),
  })
  #defaultServices
  #file = ''
  #listeners = new HostListeners(() => this.#options)
  #confirmations = new Confirmations({
    options: () => this.#options,
    listeners: this.#listeners,
    toolSet: () => this.#loaded(),
    open: (options, id) => this.#createSession(options, undefined, id),
    ask: start => this.#pendingCalls.run(callNumber => start(this.#gate, callNumber), this),
  })
  /** The tool set that new sessions get; null until it is loaded. @type {ToolSet | null} */
  #set = null
  /** What a process-wide registry says before its load. @type {import('../tool-sets/set-ahead.js').SetAhead | null} */
  #ahead = null
  /** version → every tool set loaded so far: a session that outlives a reload keeps its own. @type {Map<string, ToolSet>} */
  #sets = new Map()
  #strayErrors = new StrayErrorGuard((error, call) => this.#listeners.error(error, call))
  #voices = new VoiceAttachments()
  #sources = new RegistrySources(this.#listeners, { gate: () => this.#native, onChange: () => this.toolsChanged() })
  /** Only after a reload a session's tool set can be another one than before. @type {ConstructorParameters<typeof AttachmentContext>[0]['setOf']} */
  #setOf = session => (this.#sets.size > 1 ? this.#sets.get(session.toolsVersion) : undefined)

  /** @param {RegistryOptions} [options] @param {DefaultServices | null} [defaultServices] of a registry that loads the shipped tools if the project has none; used for these if the host gives no services */
  constructor(options = {}, defaultServices = null) {
    super(
      () => this.#described(),
      names => this.#serviceNames(names),
    )
    checkRegistryOptions(options)
    this.#options = options
    this.#defaultServices = defaultServices
    this.#host = new HandlerHost(
      (...end) => this.#messages.read(this.#settle(...end)),
      (error, call) => this.#listeners.error(error, call),
      () => this.#strayErrors.scope,
    )
    this.#messages = new MessageReader({
      calls: this.#pendingCalls,
      start: start => this.#host.start(start),
      stop: (id, reason) => this.#host.abort(id, reason),
      line: line => this.callListener(() => /** @type {(line: string) => void} */ (this.#options.audit)(line)),
      warning: line => this.callListener(() => this.#options.onLog?.(JSON.parse(line))),
      confirmation: text => this.#confirmations.changed(text),
      used: (attachment, text) => this.#host.attachmentContext(attachment)?.capabilityUsed(JSON.parse(text)),
    })
  }

  /** Reads the artifact, checks every schema, imports the handlers; validators are lazy. @param {RegistryOptions} [options] */
  async load(options) {
    if (options !== undefined) checkRegistryOptions(options)
    if (options !== undefined && this.#loading === null) this.#options = { ...this.#options, ...options }
    this.#loading ??= this.#load().catch(error => {
      // A failed load can be tried again.
      this.#loading = null
      throw error
    })
    return this.#loading
  }

  /** @internal The path of the artifact that was loaded, or will be. */
  get artifactFile() {
    this.#described()
    return this.#set === null ? this.#ahead?.file : this.#file
  }
  get strayErrors() {
    return this.#options.strayErrors ?? 'crash'
  }

  /** @type {import('../../index.js').ToolRegistry['validateArgs']} */
  validateArgs(toolId, args) {
    const set = this.#described()
    return validatedArgs(this.#native ?? set.native, String(toolId), args)
  }

  /** @param {string} toolId @param {ExecutionContext} [context] @returns {Promise<import('../../index.js').ToolResponse>} */
  async executeTool(toolId, context = {}) {
    const mismatch = checkToolsVersion(context.session, this.#loaded().version, this.#options.environment)
    if (mismatch !== null) {
      this.#listeners.warn(mismatchLine(mismatch))
      const { sessionVersion, registryVersion } = mismatch
      this.#gate.logVersionMismatch(context.session?.sessionId ?? null, sessionVersion, registryVersion)
    }
    if (context.session instanceof Session) return executeWithin(context.session, toolId, context)
    return this.#directCalls.execute(String(toolId), context)
  }

  getMetrics() {
    this.#loaded()
    return withDeclarationCounts(JSON.parse(this.#gate.metrics()), this.#sets.values())
  }

  /** @param {SessionOptions} options */
  async createSession(options) {
    return this.#createSession(options)
  }
  /** @type {import('../../index.js').ToolRegistry['confirmationLink']} */
  async confirmationLink(id, options) {
    return this.confirmations.link(id, options)
  }

  /** What is known of the MCP servers whose tools the set has. */
  sources() {
    return this.#sources.status
  }

  /** @internal Confirmations by their ids, for the route that answers links. */
  get confirmations() {
    this.#loaded()
    return this.#confirmations
  }

  /** @internal A key of the store, for what all processes on it sign alike. @param {string} purpose */
  async keyOf(purpose) {
    return this.confirmations.key(purpose)
  }
  /** @internal How long an idle session is kept. */
  get sessionIdleMs() {
    return sessionIdleMs(this.#options)
  }

  /** @param {SessionOptions} options @param {import('./direct-calls.js').HostView} [hostView] what handlers see of the host's session, for `executeTool` @param {string} [confirmation] */
  async #createSession(options, hostView, confirmation) {
    this.#loaded()
    const services = { ...this.#options.services, ...options?.services }
    const checked = { ...sessionOptions(options, serviceNames(services)), confirmation }
    checkServiceNames(options.services)
    this.#listeners.nameHidden(this.#loaded(), serviceNames(services))
    const { text, problem } = wellFormedJsonText(checked)
    if (text === undefined) throw new TypeError(`session options can't be written as JSON: ${problem}`)
    const attachmentContext = this.#attachmentContext(options, services, hostView)
    const create = (/** @type {number} */ callNumber) =>
      withTypeErrors(() => this.#gate.createSession(callNumber, text))
    const { created, error } = JSON.parse(await this.#pendingCalls.run(create, attachmentContext))
    if (error !== undefined) throw sessionError(error)
    const session = this.#gate.takeSession(created)
    attachmentContext.pin(this.#sets.get(session.toolsVersion) ?? this.#loaded())
    this.#host.add(session.attachmentId, attachmentContext)
    if (session.mode === 'voice') this.#voices.add(session.sessionId, session.attachmentId, attachmentContext)
    return new Session({
      native: session,
      registry: this,
      pendingCalls: this.#pendingCalls,
      options,
      attachmentContext,
    })
  }
  lock() {
    this.#loaded()
    this.#gate.lock()
  }
  snapshot() {
    const set = this.#loaded()
    if (!this.#gate.locked) throw new Error('snapshot() needs lock() first: an unlocked registry can still change')
    return set.snapshot()
  }
  async reload() {
    this.#loaded()
    if (this.#gate.locked) throw new Error('the registry is locked: its version is what runs, and it is not reloaded')
    const set = readToolSet(this.#file, this.#options)
    if (set.version === this.getVersion()) return this
    await set.loadHandlers({ file: this.#file, given: this.#sources.handlers(set), fresh: set.version })
    withTypeErrors(() => this.#gate.reload(set.native))
    this.#use(set)
    return this
  }

  /** @param {(version: string) => void} [listener] */
  watch(listener = () => {}) {
    this.#loaded()
    return watchFile(this.#file, () =>
      this.reload().then(
        () => listener(this.getVersion()),
        error => this.#listeners.error(error, {}),
      ),
    )
  }
  /** @param {{ timeoutMs?: number }} [options] */
  async close({ timeoutMs = 5000 } = {}) {
    const timeout = milliseconds(timeoutMs, 'timeoutMs')
    if (this.#loading === null) return
    // A loaded registry refuses calls from now on, not from the next turn of the event loop: without `await`.
    if (this.#set === null) await this.#loading
    await this.#pendingCalls.run(callNumber => this.#gate.close(callNumber, timeout), this)
    // All calls are answered now. Their callers run before the caller of `close()` continues.
    await new Promise(resolve => void timers.setImmediate(resolve))
    this.#confirmations.close()
    await this.#sources.close()
    this.#strayErrors.stop()
  }

  /** @type {import('../../index.js').ToolRegistry['complete']} */
  async complete(token, response) {
    this.#loaded()
    const end = await completionEnd(response, this.#host.results)
    return readValue(await this.#pendingCalls.run(number => this.#gate.complete(number, String(token), ...end), this))
  }

  /** @type {import('../../index.js').ToolRegistry['reconcile']} */
  async reconcile(options = {}) {
    this.#loaded()
    const context = this.#attachmentContext({}, { ...this.#options.services })
    const [gate, host, calls] = [this.#gate, this.#host, this.#pendingCalls]
    return reconcileCalls(options, { gate, host, calls, context, services: this.#serviceNames() })
  }
  async acceptStore() {
    this.#loaded()
    await this.#checkStore(callNumber => this.#gate.acceptStore(callNumber))
  }
  async health() {
    if (this.#native === null) return unloadedHealth()
    return JSON.parse(await this.#pendingCalls.run(callNumber => this.#gate.health(callNumber), this))
  }
  /** @internal A shortened answer's full data as JSON text; null if it is not kept. @param {string} sessionId @param {import('../../index.js').ToolResponseMeta} meta */
  fullData(sessionId, { idempotencyKey, truncated }) {
    if (this.#native === null || typeof idempotencyKey !== 'string') return null
    return this.#gate.fullData(sessionId, idempotencyKey, Number(truncated?.originalBytes)) ?? null
  }
  /** @internal What the tools of sources have beside results. */
  get mcpSources() {
    return this.#sources
  }
  /** @internal Calls a host's listener; its errors go to `onHandlerError`. @param {() => unknown} listener */
  callListener(listener) {
    this.#listeners.call(listener)
  }

  /** @returns {Promise<this>} */
  async #load() {
    const { file, searched } = artifactToLoad(this.#options.artifact, this.#defaultServices !== null)
    await this.#addDefaultServices(file)
    const options = nativeOptions(this.#options)
    keepModes(this, this.#options.modes)
    checkServiceNames(this.#options.services)
    const set = setToLoad(this.#ahead, file, this.#options)
    if (this.#options.strayErrors === 'report') this.#strayErrors.start()
    try {
      await set.loadHandlers({ file, given: this.#sources.handlers(set) })
      this.#native = withTypeErrors(() => this.#open(set, options))
      this.#settle = this.#gate.settleFunction()
      this.#host.results = { maxBytes: this.#gate.maxResultBytes, refusesLoss: !options.production }
      await this.#checkStore(callNumber => this.#gate.checkStore(callNumber))
    } catch (error) {
      this.#native = null
      this.#strayErrors.stop()
      throw error
    }
    this.#file = file
    this.#use(set)
    if (searched !== null) this.#listeners.warn(shippedSetLine(searched))
    if (this.#options.services !== undefined) this.#listeners.nameHidden(set, this.#serviceNames())
    if (!options.production) this.#listeners.warn(staleArtifactLine(file, this.#options.artifact === undefined))
    return this
  }

  /** @param {string} file the artifact */
  async #addDefaultServices(file) {
    if (this.#defaultServices === null || this.#options.services !== undefined || file !== shippedTools) return
    this.#options = { ...this.#options, services: await this.#defaultServices(this) }
  }

  /** A permanent failure of the store fails the load instead of the first session. @param {import('./pending-calls.js').Start} check */
  async #checkStore(check) {
    const { error } = JSON.parse(await this.#pendingCalls.run(check, this))
    if (error !== undefined) throw new RegistryLoadError('STORE_REFUSED', error)
  }

  /** @param {ToolSet} set @param {ReturnType<typeof nativeOptions>} options */
  #open(set, options) {
    // The core holds this function for its lifetime; a strong reference would keep the registry from being collected.
    const self = new WeakRef(this)
    return new native.NativeGate(set.native, JSON.stringify(options), () => self.deref()?.wake())
  }

  /** @internal Handles the messages that are ready. */
  wake() {
    this.#messages.read(this.#native?.poll() ?? null)
  }

  /** @param {ToolSet} set */
  #use(set) {
    this.#set = set
    this.#sources.watch()
    this.#sets.set(set.version, set)
    this.toolsChanged()
  }

  /** @param {import('./attachment-context.js').HostObjects} options @param {Record<string, unknown>} services @param {import('./direct-calls.js').HostView} [hostView] */
  #attachmentContext(options, services, hostView) {
    const own = { gate: this.#gate, voices: this.#voices, setOf: this.#setOf, sources: this.#sources }
    const context = new AttachmentContext({
      ...own,
      options: options ?? {},
      services,
      loaded: this.#loaded(),
      hostView,
    })
    withRegistryService(services, { viewer: context, roles: options?.roles })
    return context
  }

  /** The names of the services that tools may require: the given ones or the registry's, and the built-in one. @param {string[]} [names] */
  #serviceNames(names = Object.keys(this.#options.services ?? {})) {
    if (this.#set === null && this.#ahead !== null) names = [...names, ...this.#ahead.services]
    return [...names, BUILT_IN_SERVICE]
  }

  /** The core's part, for code that runs once it is loaded. */
  get #gate() {
    return /** @type {NativeGate} */ (this.#native)
  }

  /** The tool set that the registry describes: of the process-wide one before its load, the one that it would load. */
  #described() {
    if (this.#set !== null || this.#defaultServices === null) return this.#loaded()
    this.#ahead ??= readAhead(this.#options)
    return this.#ahead.set
  }

  #loaded() {
    if (this.#set === null) throw new Error(NOT_LOADED)
    return this.#set
  }
}

module.exports = { ToolRegistry }
