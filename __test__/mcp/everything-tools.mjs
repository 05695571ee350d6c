// The tools that the scenarios of the conformance suite call.
import { DIALECT } from './conformance-tools.mjs'
import { AUDIO, IMAGE, embedded, text } from './everything-media.mjs'
import { ROUND_TOOLS } from './everything-rounds.mjs'

const done = (...content) => ({ content })
const pause = () => new Promise(resolve => setTimeout(resolve, 50))
const stringNamed = name => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] })

/** Asks while the request runs, and says what came of it. */
const asking = (method, params) => async (args, mcpReq) => {
  const answer = await mcpReq.send({ method, params: params(args) })
  return done(text(`answer: ${JSON.stringify(answer)}`))
}
const form = (message, properties, required = []) => ({
  message,
  requestedSchema: { type: 'object', properties, required },
})

const titled = (...titles) => titles.map((title, index) => ({ const: `value${index + 1}`, title }))
const options = ['option1', 'option2', 'option3']
const CHOICES = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('First', 'Second', 'Third') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled('First', 'Second', 'Third') } },
}
const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
}

async function logs(_, mcpReq) {
  for (const data of ['begun', 'under way', 'ended']) {
    await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
    await pause()
  }
  return done(text('logged'))
}

async function reports(_, mcpReq) {
  const { progressToken } = mcpReq._meta ?? {}
  for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    await pause()
  }
  return done(text('reported'))
}

const MIXED = embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}')

/** By name: what runs. */
const BOTH = {
  test_simple_text: () => done(text('This is a simple text response for testing.')),
  test_image_content: () => done({ type: 'image', ...IMAGE }),
  test_audio_content: () => done({ type: 'audio', ...AUDIO }),
  test_embedded_resource: () => done(embedded('test://embedded-resource', 'text/plain', 'Embedded.')),
  test_multiple_content_types: () => done(text('Mixed:'), { type: 'image', ...IMAGE }, MIXED),
  test_error_handling: () => ({ ...done(text('This tool intentionally returns an error for testing')), isError: true }),
  test_tool_with_progress: reports,
  json_schema_2020_12_tool: args => done(text(JSON.stringify(args))),
}

const GENERATIONS = {
  legacy: {
    test_tool_with_logging: logs,
    test_sampling: asking('sampling/createMessage', ({ prompt }) => ({
      messages: [{ role: 'user', content: text(prompt) }],
      maxTokens: 100,
    })),
    test_elicitation: asking('elicitation/create', ({ message }) =>
      form(message, { response: { type: 'string' } }, ['response']),
    ),
    test_elicitation_sep1034_defaults: asking('elicitation/create', () => form('Is this right?', DEFAULTS)),
    test_elicitation_sep1330_enums: asking('elicitation/create', () => form('Choose.', CHOICES)),
  },
  modern: {
    ...ROUND_TOOLS,
    test_streaming_elicitation: () => done(text('asked nothing')),
    test_logging_tool: async (_, mcpReq) => {
      await mcpReq.log('info', 'It ran.')
      return done(text('logged'))
    },
    test_trigger_tool_change: (_, __, notify) => notify.toolsChanged() ?? done(text('announced')),
    test_trigger_prompt_change: (_, __, notify) => notify.promptsChanged() ?? done(text('announced')),
  },
}
const SCHEMAS = {
  json_schema_2020_12_tool: DIALECT,
  test_sampling: stringNamed('prompt'),
  test_elicitation: stringNamed('message'),
}

const toolsOf = era => ({ ...BOTH, ...GENERATIONS[era] })

/** @param {'legacy' | 'modern'} era */
export const definitions = era =>
  Object.keys(toolsOf(era)).map(name => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: SCHEMAS[name] ?? { type: 'object' },
  }))

/** @param {object} notify announces changes */
export function call({ name, arguments: args = {} }, { mcpReq }, notify) {
  return { ...BOTH, ...GENERATIONS.legacy, ...GENERATIONS.modern }[name](args, mcpReq, notify)
}
