'use strict'

// The public face of the package; index.d.ts documents it.

require('./js/operations/installation.js').checkInstallation()

const {
  ErrorType,
  IntentType,
  builtInModes,
  httpStatus,
  ToolError,
  RegistryVersionMismatch,
  RegistryLoadError,
  StoreError,
} = require('./js/answers/errors.js')
const { hiddenCharacters } = require('./native.js')
const { argsHash, canonicalJson } = require('./js/values/canonical-json.js')
const { defineTool } = require('./js/tool-sets/define-tool.js')
const { PROMETHEUS_TYPE, prometheusText } = require('./js/observe/prometheus.js')
const { storeFromSetting } = require('./js/gate/store-options.js')
const { shippedTools } = require('./js/tool-sets/shipped-tools.js')
const { createRegistry, toolRegistry } = require('./js/gate/registries.js')
const { ToolRegistry } = require('./js/gate/registry.js')
const { SchemaValidator } = require('./js/tool-sets/schema-validator.js')
const { pending } = require('./js/handlers/pending.js')
const { Session } = require('./js/gate/session.js')
const { createStateController } = require('./js/gate/state-controller.js')
const {
  TOOL_RESPONSE_SCHEMA_VERSION,
  toolResponseSchema,
  success,
  failure,
  validateToolResponse,
} = require('./js/answers/tool-response.js')
const { toResultNote } = require('./js/answers/result-note.js')
const { toModelResponse, toSpeech, toUiResponse } = require('./js/answers/views.js')

// A server that serves calls needs neither the compiler nor the prompts: their modules are loaded on first use.
const compiler = () => require('./js/tool-sets/compile.js')
/** @param {import('./js/tool-sets/compile.js').BuildOptions} [options] */
const buildTools = options => compiler().buildTools(options)
/** @param {import('./index.js').ForeignTool} definition */
const compileTool = definition => compiler().compileTool(definition)
/** @param {import('./index.js').ForeignTool} definition */
const compileToolAsync = definition => compiler().compileToolAsync(definition)
/** @type {typeof import('./js/tool-sets/compile.js').formatReport} */
const formatReport = (report, options) => compiler().formatReport(report, options)

// Nor the operator's functions of a store.
const operator = () => require('./js/operations/store-commands.js')
/** @type {typeof import('./js/operations/store-commands.js').backupStore} */
const backupStore = (store, file) => operator().backupStore(store, file)
/** @type {typeof import('./js/operations/store-commands.js').restoreStore} */
const restoreStore = (file, store, options) => operator().restoreStore(file, store, options)
/** @type {typeof import('./js/operations/store-commands.js').checkStore} */
const checkStore = store => operator().checkStore(store)
/** @type {typeof import('./js/operations/store-commands.js').listSessions} */
const listSessions = (store, options) => operator().listSessions(store, options)
/** @type {typeof import('./js/operations/store-commands.js').showSession} */
const showSession = (store, sessionId) => operator().showSession(store, sessionId)
/** @type {typeof import('./js/operations/store-commands.js').endSession} */
const endSession = (store, sessionId) => operator().endSession(store, sessionId)
/** @type {typeof import('./js/operations/store-commands.js').revokeGrant} */
const revokeGrant = (store, sessionId, grantId, options) => operator().revokeGrant(store, sessionId, grantId, options)
/** @type {typeof import('./js/operations/store-commands.js').eraseSessions} */
const eraseSessions = (store, options) => operator().eraseSessions(store, options)

/** @type {typeof import('./js/observe/audit-files.js').verifyAudit} */
const verifyAudit = (files, options) => require('./js/observe/audit-files.js').verifyAudit(files, options)

// The prompts describe the process-wide registry unless `options.registry` is set.
/** @param {import('./index.js').PromptOptions} [options] */
const loadVoicePrompt = options =>
  require('./js/tool-sets/prompts.js').loadVoicePrompt({ registry: toolRegistry, ...options })
/** @param {import('./index.js').PromptOptions & { docs?: 'summaries' | 'full' }} [options] */
const loadTextPrompt = options =>
  require('./js/tool-sets/prompts.js').loadTextPrompt({ registry: toolRegistry, ...options })

/** @type {typeof import('./js/tool-sets/user-clock.js').userClock} */
const userClock = options => require('./js/tool-sets/user-clock.js').userClock(options)

/** The guide of a tool of the process-wide registry. @param {string} toolId */
const getToolDocumentation = toolId => toolRegistry.getDocumentation(toolId)

module.exports = {
  ErrorType,
  IntentType,
  PROMETHEUS_TYPE,
  RegistryLoadError,
  RegistryVersionMismatch,
  SchemaValidator,
  Session,
  StoreError,
  TOOL_RESPONSE_SCHEMA_VERSION,
  ToolError,
  ToolRegistry,
  argsHash,
  backupStore,
  buildTools,
  builtInModes,
  canonicalJson,
  checkStore,
  compileTool,
  compileToolAsync,
  createRegistry,
  createStateController,
  defineTool,
  endSession,
  eraseSessions,
  failure,
  formatReport,
  getToolDocumentation,
  hiddenCharacters,
  httpStatus,
  listSessions,
  loadTextPrompt,
  loadVoicePrompt,
  pending,
  prometheusText,
  restoreStore,
  revokeGrant,
  shippedTools,
  showSession,
  storeFromSetting,
  success,
  toModelResponse,
  toResultNote,
  toSpeech,
  toUiResponse,
  toolRegistry,
  toolResponseSchema,
  userClock,
  validateToolResponse,
  verifyAudit,
}
