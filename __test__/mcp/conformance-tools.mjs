// The tools that the conformance suites call, as far as a folder of tools can give them: no media, no own questions.
const execute = () => ({ ok: true, data: 'This is a simple text response for testing.' })
const simple = { kind: 'read', execute }
const asks = { kind: 'write', requiresConfirmation: true, confirmation: { preview: 'Go on?' }, execute }
const pause = () => new Promise(resolve => setTimeout(resolve, 50))

async function report({ progress }) {
  for (const message of ['0 of 100', '50 of 100', '100 of 100']) {
    progress(message)
    await pause()
  }
  return execute()
}

/** Every keyword that a server must hand on. */
export const DIALECT = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

export const TOOLS = {
  json_schema_2020_12_tool: { ...simple, parameters: DIALECT },
  test_elicitation: { ...asks, properties: { message: { type: 'string' } }, required: ['message'] },
  test_error_handling: {
    ...simple,
    execute: () => {
      throw new Error('This tool intentionally returns an error for testing')
    },
  },
  test_input_required_result_capabilities: asks,
  test_input_required_result_elicitation: asks,
  test_input_required_result_request_state: asks,
  test_input_required_result_tampered_state: asks,
  test_logging_tool: simple,
  test_simple_text: simple,
  test_streaming_elicitation: asks,
  test_tool_with_logging: simple,
  test_tool_with_progress: { ...simple, execute: report },
}
