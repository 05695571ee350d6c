// The resources and prompts that the scenarios of the conformance suite read, get and complete.
import { ProtocolError, acceptedContent, inputRequired } from '@modelcontextprotocol/server'

import { IMAGE, embedded, text } from './everything-media.mjs'

const INVALID_PARAMS = -32602
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/

const RESOURCES = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: IMAGE.mimeType, blob: IMAGE.data },
  'test://watched-resource': { mimeType: 'text/plain', text: 'It never changes.' },
}

const said = (...blocks) => ({ messages: blocks.map(content => ({ role: 'user', content })) })
const required = (...names) => names.map(name => ({ name, description: `The ${name}.`, required: true }))

const PROMPTS = {
  test_simple_prompt: { render: () => said(text('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    arguments: required('arg1', 'arg2'),
    render: ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    arguments: required('resourceUri'),
    render: ({ resourceUri }) => said(embedded(resourceUri, 'text/plain', 'Embedded.'), text('Read it.')),
  },
  test_prompt_with_image: { render: () => said({ type: 'image', ...IMAGE }, text('Look at it.')) },
  test_input_required_result_prompt: {
    render: (_, { inputResponses }) => {
      const answer = acceptedContent(inputResponses, 'user_context')
      if (answer !== undefined) return said(text(`In the context of ${answer.context}.`))
      const requestedSchema = { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] }
      const asked = inputRequired.elicit({ message: 'In what context?', requestedSchema })
      return inputRequired({ inputRequests: { user_context: asked } })
    },
  },
}

const LISTS = {
  'resources/list': {
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri.slice(7), mimeType })),
  },
  'resources/templates/list': {
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  },
  'prompts/list': {
    prompts: Object.entries(PROMPTS).map(([name, { render: _, ...fields }]) => ({
      name,
      description: `The prompt ${name}.`,
      ...fields,
    })),
  },
}

export const list = method => LISTS[method]

export function read(uri) {
  const content = RESOURCES[uri] ?? fromTemplate(uri)
  if (content === undefined) throw new ProtocolError(INVALID_PARAMS, 'Resource not found', { uri })
  return { contents: [{ uri, ...content }] }
}

function fromTemplate(uri) {
  const [, id] = TEMPLATE.exec(uri) ?? []
  return id && { mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Of ${id}` }) }
}

export function prompt({ name, arguments: given = {} }, { mcpReq }) {
  const known = PROMPTS[name]
  const missing = known?.arguments?.find(argument => given[argument.name] === undefined)
  if (known === undefined || missing !== undefined) throw new ProtocolError(INVALID_PARAMS, 'no such prompt')
  return known.render(given, mcpReq)
}

export function complete({ argument }) {
  const values = ['paris', 'park', 'party'].filter(value => value.startsWith(argument.value))
  return { completion: { values, total: values.length, hasMore: false } }
}
