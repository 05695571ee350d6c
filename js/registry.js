'use strict'

// The registry's JavaScript API: loads a tool set, describes its tools, creates sessions.

const native = require('../native.js')
const { artifactPath } = require('./artifact.js')
const { shippedTools } = require('./project-artifact.js')
const { RegistryLoadError, RegistryVersionMismatch, ToolError } = require('./errors.js')
const { isStrict, toolOf } = require('./declarations.js')
const { DirectCalls, executeWithin, needsSession } = require('./direct-calls.js')
const { HandlerHost } = require('./handler-host.js')
const { hiddenTools, hiddenToolsLine } = require('./hidden-tools.js')
const { argsText, unwritableIssue, wellFormedJsonText } = require('./json-text.js')
const { MessageReader } = require('./native-messages.js')
const { withTypeErrors } = require('./type-errors.js')
const { checkRegistryOptions, isProduction, milliseconds, nativeOptions, sessionOptions } = require('./options.js')
const { AttachmentContext } = require('./attachment-context.js')
const { BUILT_IN_SERVICE, checkServiceNames, serviceNames, withRegistryService } = require('./registry-service.js')
const { Session } = require('./session.js')
const { sessionError } = require('./session-error.js')
const { shippedServices } = require('./shipped-services.js')
const { PendingCalls } = require('./pending-calls.js')
const { readToolSet } = require('./tool-set.js')
const { watchFile } = require('./watch-file.js')

/** The first attachment number of calls without a session: far above the core's numbers of sessions' attachments. */
const FIRST_DIRECT_ATTACHMENT = 2 ** 52

class ToolRegistry {
  #options
  #native = null
  #settle = null
  #loading = null
  #pendingCalls = new PendingCalls(messages => this.#messages.read(messages))
  #host
  #messages
  #directCalls = new DirectCalls((options, hostView) => this.#createSession(options, hostView))
  #defaultServices
  /** The tool set that new sessions get; null until it is loaded. */
  #set = null
  /** version → every tool set loaded so far: a session that outlives a reload keeps its own. */
  #sets = new Map()
  #nextDirectAttachment = FIRST_DIRECT_ATTACHMENT
  #strayErrorScope = null
  /** @internal Sessions check their version only once there was a reload. */
  wasReloaded = false

  /** `defaultServices` makes the services of the shipped tool set, if the host gives none. */
  constructor(options = {}, defaultServices = null) {
    checkRegistryOptions(options)
    this.#options = options
    this.#defaultServices = defaultServices
    this.#host = new HandlerHost(
      (id, ended, text) => this.#messages.read(this.#settle(id, ended, text)),
      (error, call) => this.#handlerError(error, call),
      () => this.#strayErrorScope,
    )
    this.#messages = new MessageReader({
      answer: (callNumber, text) => this.#pendingCalls.answer(callNumber, text),
      start: start => this.#host.start(start),
      stop: (id, reason) => this.#host.abort(id, reason),
      args: callNumber => this.#pendingCalls.args(callNumber),
      line: line => this.callListener(() => this.#options.audit(line)),
      warning: line => this.callListener(() => this.#options.onLog(JSON.parse(line))),
      used: (attachment, text) => this.#host.attachmentContext(attachment)?.capabilityUsed(JSON.parse(text)),
    })
  }

  /** Reads the artifact, checks every schema, imports the handlers. Validators are built when they are first needed. */
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

  getVersion() {
    return this.#loaded().version
  }
  getGitCommit() {
    return this.#loaded().gitCommit
  }

  get tools() {
    return this.#loaded().tools
  }

  getProviderSchemas(provider = 'openai', { mode, services, roles } = {}) {
    const set = this.#loaded()
    const declared = set.providerSchemas(provider, mode ?? null, this.#serviceNames(services))
    if (declared === null) throw new TypeError(`unknown provider \`${provider}\``)
    const allowed = JSON.parse(declared).filter(declaration => set.allows(toolOf(declaration), roles))
    set.native.declaredStrictly(allowed.filter(isStrict).map(toolOf))
    return allowed
  }

  /** The tools that no mode shows, because the registry lacks services that they require. */
  hidden() {
    return hiddenTools(this.#loaded().tools.values(), this.#serviceNames())
  }

  getSummaries({ mode, services, roles } = {}) {
    const set = this.#loaded()
    const visible = set.native.visible(mode ?? null, this.#serviceNames(services))
    return visible
      .filter(id => set.allows(id, roles))
      .map(id => set.tool(id))
      .map(tool => `**${tool.toolId}** (${tool.category}): ${tool.summary}`)
      .join('\n\n')
  }

  getDocumentation(toolId) {
    return this.#loaded().native.documentation(String(toolId))
  }

  getToolMetadata(toolId) {
    return this.#loaded().tool(toolId) ?? null
  }

  getToolsByCategory(category) {
    return [...this.tools.values()].filter(tool => tool.category === category)
  }

  validateArgs(toolId, args) {
    this.#loaded()
    const { text, problem } = argsText(args)
    if (problem !== null) return { valid: false, errors: [unwritableIssue(problem)] }
    const { args: completed, error } = JSON.parse(this.#native.validateArgs(String(toolId), text))
    if (error === undefined) return { valid: true, errors: [], args: completed }
    if (error.type !== 'VALIDATION') throw new ToolError(error.type, error.message, error)
    return { valid: false, errors: error.details ?? [] }
  }

  async executeTool(toolId, context = {}) {
    const set = this.#loaded()
    this.#checkToolsVersion(context.session)
    if (!needsSession(context, set.tool(toolId))) return this.#executeDirect(toolId, context)
    if (context.session instanceof Session) return executeWithin(context.session, toolId, context)
    try {
      return await this.#directCalls.execute(String(toolId), context)
    } catch (error) {
      // A closed registry makes no session; the core has an answer for this call.
      if (error.code === 'CLOSED') return this.#executeDirect(toolId, context)
      throw error
    }
  }

  async #executeDirect(toolId, { args, mode = 'text', services, ...host }) {
    const { text, problem } = argsText(args)
    checkServiceNames(services)
    const attachmentContext = this.#attachmentContext(host, { ...this.#options.services, ...services })
    const attachment = this.#nextDirectAttachment++
    this.#host.add(attachment, attachmentContext)
    const options = JSON.stringify({
      tool: String(toolId),
      mode,
      services: serviceNames(attachmentContext.services),
      attachment,
    })
    const start = callNumber => this.#native.executeDirect(callNumber, options, text, problem)
    const open = attachmentContext.begin({ id: null, name: String(toolId) })
    const run = () => this.#pendingCalls.run(start, attachmentContext)
    const answer = await (open === null ? run() : open.trace.run(run))
    attachmentContext.answered(answer, problem === null ? text : null, open)
    return JSON.parse(answer)
  }

  getMetrics() {
    this.#loaded()
    return JSON.parse(this.#native.metrics())
  }

  async createSession(options) {
    return this.#createSession(options)
  }

  /** `hostView`: what a handler sees of the host's own session, for calls of `executeTool`. */
  async #createSession(options, hostView) {
    this.#loaded()
    const services = { ...this.#options.services, ...options?.services }
    const checked = sessionOptions(options, serviceNames(services))
    checkServiceNames(options.services)
    const { text, problem } = wellFormedJsonText(checked)
    if (problem !== null) throw new TypeError(`session options can't be written as JSON: ${problem}`)
    const attachmentContext = this.#attachmentContext(options, services, hostView)
    const create = callNumber => withTypeErrors(() => this.#native.createSession(callNumber, text))
    const { created, error } = JSON.parse(await this.#pendingCalls.run(create, attachmentContext))
    if (error !== undefined) throw sessionError(error)
    const session = this.#native.takeSession(created)
    attachmentContext.pin(this.#sets.get(session.toolsVersion) ?? this.#set)
    this.#host.add(session.attachmentId, attachmentContext)
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
    this.#native.lock()
  }

  snapshot() {
    const { version, gitCommit, tools: all } = this.#loaded()
    if (!this.#native.locked) throw new Error('snapshot() needs lock() first: an unlocked registry can still change')
    const tools = [...all.values()].map(({ toolId, version, category }) => ({ toolId, version, category }))
    return { version, gitCommit, tools }
  }

  async reload() {
    this.#loaded()
    if (this.#native.locked) throw new Error('the registry is locked: its version is what runs, and it is not reloaded')
    const { set, file } = readToolSet(this.#options)
    if (set.version === this.getVersion()) return this
    await set.loadHandlers({ file, given: this.#options.handlers, fresh: set.version })
    withTypeErrors(() => this.#native.reload(set.native))
    this.wasReloaded = true
    this.#use(set)
    return this
  }

  watch(listener = () => {}) {
    this.#loaded()
    return watchFile(artifactPath(this.#options.artifact), () =>
      this.reload().then(
        () => listener(this.getVersion()),
        error => this.#handlerError(error, {}),
      ),
    )
  }

  async close({ timeoutMs = 5000 } = {}) {
    const timeout = milliseconds(timeoutMs, 'timeoutMs')
    if (this.#loading === null) return
    // A loaded registry must refuse calls from now on, not from the next turn of the event loop: no `await` in that
    // case.
    if (this.#set === null) await this.#loading
    await this.#pendingCalls.run(callNumber => this.#native.close(callNumber, timeout), this)
    // All calls are answered now. Their callers run before the caller of `close()` continues.
    await new Promise(resolve => setImmediate(resolve))
    this.#strayErrorScope?.release()
    this.#strayErrorScope = null
  }

  async acceptStore() {
    this.#loaded()
    const { error } = JSON.parse(await this.#pendingCalls.run(callNumber => this.#native.acceptStore(callNumber), this))
    if (error !== undefined) throw new RegistryLoadError('STORE_REFUSED', error)
  }

  async health() {
    if (this.#native === null)
      return { ok: false, closing: false, storeError: null, audit: { failing: false, lost: 0 } }
    return JSON.parse(await this.#pendingCalls.run(callNumber => this.#native.health(callNumber), this))
  }

  /** @internal The full data of a shortened answer, as JSON text; null if it is not kept. */
  fullData(sessionId, { idempotencyKey, truncated }) {
    if (this.#native === null || typeof idempotencyKey !== 'string') return null
    return this.#native.fullData(sessionId, idempotencyKey, Number(truncated.originalBytes)) ?? null
  }

  /** @internal Calls a host's listener; its errors go to `onHandlerError`. */
  callListener(listener) {
    try {
      const result = listener()
      if (typeof result?.then === 'function') result.then(undefined, error => this.#handlerError(error, {}))
    } catch (error) {
      this.#handlerError(error, {})
    }
  }

  async #load() {
    await this.#addDefaultServices()
    const options = nativeOptions(this.#options)
    checkServiceNames(this.#options.services)
    const { set, file } = readToolSet(this.#options)
    if (this.#options.strayErrors === 'report') this.#strayErrorScope ??= this.#containStrayErrors()
    try {
      await set.loadHandlers({ file, given: this.#options.handlers })
      this.#native = withTypeErrors(() => this.#open(set, options))
      this.#settle = this.#native.settleFunction()
      this.#host.maxResultBytes = this.#native.maxResultBytes
      await this.#checkStore()
    } catch (error) {
      this.#native = null
      this.#strayErrorScope?.release()
      this.#strayErrorScope = null
      throw error
    }
    this.#use(set)
    this.#logHiddenTools()
    return this
  }

  async #addDefaultServices() {
    const { services, artifact } = this.#options
    if (this.#defaultServices === null || services !== undefined || artifactPath(artifact) !== shippedTools) return
    this.#options = { ...this.#options, services: await this.#defaultServices(this) }
  }

  #logHiddenTools() {
    const { onLog } = this.#options
    const line = onLog === undefined ? null : hiddenToolsLine(this.hidden())
    if (line !== null) this.callListener(() => onLog(line))
  }

  #containStrayErrors() {
    // Loaded only on demand: tracking asynchronous contexts has a cost, and few hosts use it.
    const { containStrayErrors } = require('./stray-errors.js')
    return containStrayErrors((error, call) => this.#handlerError(error, call))
  }

  /** A permanent failure of the store fails the load instead of the first session. */
  async #checkStore() {
    const { error } = JSON.parse(await this.#pendingCalls.run(callNumber => this.#native.checkStore(callNumber), this))
    if (error !== undefined) throw new RegistryLoadError('STORE_REFUSED', error)
  }

  #open(set, options) {
    // The core holds this function for its lifetime; a strong reference would keep the registry from being collected.
    const self = new WeakRef(this)
    return new native.NativeGate(set.native, JSON.stringify(options), () => self.deref()?.wake())
  }

  /** @internal Handles the messages that are ready. */
  wake() {
    this.#messages.read(this.#native?.poll() ?? null)
  }

  #use(set) {
    this.#set = set
    this.#sets.set(set.version, set)
  }

  #attachmentContext(options, services, hostView) {
    const log = (set, sessionId, entry, dataText) =>
      this.#native.log(set.native, sessionId, JSON.stringify(entry), dataText)
    const shownArgs = (set, toolId, text) => this.#native.shownArgs(set.native, toolId, text)
    const parts = { options: options ?? {}, services, loaded: this.#set, log, shownArgs, hostView }
    const context = new AttachmentContext(parts)
    withRegistryService(services, { toolSet: () => context.toolSet, roles: options?.roles })
    return context
  }

  /** The names of the services that tools may require: the given ones or the registry's, and the built-in one. */
  #serviceNames(names = Object.keys(this.#options.services ?? {})) {
    return [...names, BUILT_IN_SERVICE]
  }

  #loaded() {
    if (this.#set === null) throw new Error('the registry is not loaded; await `load()` first')
    return this.#set
  }

  /** In development a session of another tool set is a mistake; in production it goes on with the loaded one. */
  #checkToolsVersion(session) {
    const expected = session?.toolsVersion
    if (typeof expected !== 'string' || session instanceof Session || isProduction(this.#options.environment)) return
    const actual = this.getVersion()
    if (expected === actual) return
    throw new RegistryVersionMismatch(
      `the session runs tool set \`${expected}\`, the registry has ${actual}; make a new session`,
      expected,
      actual,
    )
  }

  #handlerError(error, call) {
    const { onHandlerError = defaultHandlerError } = this.#options
    try {
      onHandlerError(error, call)
    } catch {
      // The host's listener failed, and no other listener is left.
    }
  }
}

function defaultHandlerError(error, { toolId }) {
  if (process.env.NODE_ENV === 'production') return
  console.error(
    toolId === undefined ? 'toolgate: a listener threw:' : `toolgate: the handler of ${toolId} threw:`,
    error,
  )
}

/** The process-wide registry of the shipped tool set, with the embedded services unless others are given. */
const toolRegistry = new ToolRegistry({ artifact: shippedTools }, shippedServices)
const createRegistry = options => new ToolRegistry(options)

module.exports = { ToolRegistry, toolRegistry, createRegistry }
