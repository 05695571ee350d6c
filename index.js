'use strict'

// The public face of the package; index.d.ts documents it.

require('./js/installation.js').checkInstallation()

const {
  ErrorType,
  IntentType,
  builtInModes,
  httpStatus,
  ToolError,
  RegistryVersionMismatch,
  RegistryLoadError,
  StoreError,
} = require('./js/errors.js')
const { hiddenCharacters } = require('./native.js')
const { argsHash, canonicalJson } = require('./js/canonical-json.js')
const { defineTool } = require('./js/define-tool.js')
const { PROMETHEUS_TYPE, prometheusText } = require('./js/prometheus.js')
const { storeFromSetting } = require('./js/options.js')
const { shippedTools } = require('./js/project-artifact.js')
const { ToolRegistry, toolRegistry, createRegistry } = require('./js/registry.js')
const { SchemaValidator } = require('./js/schema-validator.js')
const { Session } = require('./js/session.js')
const { createStateController } = require('./js/state-controller.js')
const {
  TOOL_RESPONSE_SCHEMA_VERSION,
  toolResponseSchema,
  success,
  failure,
  validateToolResponse,
} = require('./js/tool-response.js')
const { toModelResponse, toSpeech, toUiResponse } = require('./js/views.js')

// A server that serves calls needs neither the compiler nor the prompts: their modules are loaded on first use.
const compiler = () => require('./js/compile.js')
/** @param {import('./js/compile.js').BuildOptions} [options] */
const buildTools = options => compiler().buildTools(options)
/** @param {import('./index.js').ForeignTool} definition */
const compileTool = definition => compiler().compileTool(definition)
/** @param {import('./index.js').ForeignTool} definition */
const compileToolAsync = definition => compiler().compileToolAsync(definition)
/** @type {typeof import('./js/compile.js').formatReport} */
const formatReport = (report, options) => compiler().formatReport(report, options)

// Nor the operator's functions of a store.
const operator = () => require('./js/store-commands.js')
/** @type {typeof import('./js/store-commands.js').backupStore} */
const backupStore = (store, file) => operator().backupStore(store, file)
/** @type {typeof import('./js/store-commands.js').restoreStore} */
const restoreStore = (file, store, options) => operator().restoreStore(file, store, options)
/** @type {typeof import('./js/store-commands.js').checkStore} */
const checkStore = store => operator().checkStore(store)
/** @type {typeof import('./js/store-commands.js').listSessions} */
const listSessions = (store, options) => operator().listSessions(store, options)
/** @type {typeof import('./js/store-commands.js').showSession} */
const showSession = (store, sessionId) => operator().showSession(store, sessionId)
/** @type {typeof import('./js/store-commands.js').endSession} */
const endSession = (store, sessionId) => operator().endSession(store, sessionId)
/** @type {typeof import('./js/store-commands.js').eraseSessions} */
const eraseSessions = (store, options) => operator().eraseSessions(store, options)

/** @type {typeof import('./js/audit-files.js').verifyAudit} */
const verifyAudit = (files, options) => require('./js/audit-files.js').verifyAudit(files, options)

// The prompts describe the process-wide registry unless `options.registry` is set.
/** @param {import('./index.js').PromptOptions} [options] */
const loadVoicePrompt = options => require('./js/prompts.js').loadVoicePrompt({ registry: toolRegistry, ...options })
/** @param {import('./index.js').PromptOptions & { docs?: 'summaries' | 'full' }} [options] */
const loadTextPrompt = options => require('./js/prompts.js').loadTextPrompt({ registry: toolRegistry, ...options })

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
  prometheusText,
  restoreStore,
  shippedTools,
  showSession,
  storeFromSetting,
  success,
  toModelResponse,
  toSpeech,
  toUiResponse,
  toolRegistry,
  toolResponseSchema,
  validateToolResponse,
  verifyAudit,
}
