// The ToolResponse contract under the import path that handlers use. Nothing is defined here.
export {
  TOOL_RESPONSE_SCHEMA_VERSION,
  IntentType,
  success,
  failure,
  pending,
  validateToolResponse,
  toolResponseSchema,
} from 'toolgate'
