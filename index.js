'use strict'

// The public face of the package; index.d.ts documents it.

const { buildTools, compileTool, formatReport } = require('./js/compile.js')
const { ErrorType, IntentType, httpStatus, ToolError, RegistryVersionMismatch, RegistryLoadError } = require('./js/errors.js')
const prompts = require('./js/prompts.js')
const { PROMETHEUS_TYPE, prometheusText } = require('./js/prometheus.js')
const { ToolRegistry, toolRegistry, createRegistry } = require('./js/registry.js')
const { SchemaValidator } = require('./js/schema-validator.js')
const { Session } = require('./js/session.js')
const { createStateController } = require('./js/state-controller.js')
const {
  TOOL_RESPONSE_SCHEMA_VERSION, toolResponseSchema, success, failure, validateToolResponse,
} = require('./js/tool-response.js')
const { toModelResponse, toSpeech, toUiResponse } = require('./js/views.js')

/** Over the process-wide registry where no other is given. */
const loadVoicePrompt = options => prompts.loadVoicePrompt({ registry: toolRegistry, ...options })
const loadTextPrompt = options => prompts.loadTextPrompt({ registry: toolRegistry, ...options })

module.exports = {
  ErrorType,
  IntentType,
  PROMETHEUS_TYPE,
  RegistryLoadError,
  RegistryVersionMismatch,
  SchemaValidator,
  Session,
  TOOL_RESPONSE_SCHEMA_VERSION,
  ToolError,
  ToolRegistry,
  buildTools,
  compileTool,
  createRegistry,
  createStateController,
  failure,
  formatReport,
  httpStatus,
  loadTextPrompt,
  loadVoicePrompt,
  prometheusText,
  success,
  toModelResponse,
  toSpeech,
  toUiResponse,
  toolRegistry,
  toolResponseSchema,
  validateToolResponse,
}
