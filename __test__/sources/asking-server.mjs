// An MCP server of both generations whose tool asks its user: node asking-server.mjs
import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { Server, inputRequired } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const form = (message, properties, required = Object.keys(properties)) => ({
  mode: 'form',
  message,
  requestedSchema: { type: 'object', properties, required },
})
const name = { type: 'string', minLength: 2 }

export const QUESTIONS = {
  who: form('Who are you?', { name }),
  order: form(
    'How many?',
    {
      count: { type: 'integer', minimum: 1, maximum: 9, title: 'Pieces' },
      size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
      gift: { type: 'boolean', default: true },
      note: { type: 'string' },
    },
    ['count', 'size'],
  ),
  secret: form('To go on:', { apiKey: { type: 'string' } }),
  titled: form('To go on:', { value: { type: 'string', title: 'Your card number' } }),
  hidden: form('Send to \u202Emoc.live\u202C?\nNow', { name: { ...name, title: 'Na\u200Bme' } }),
  wide: form('Many', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, name]))),
  long: form('x'.repeat(4001), { name }),
  half: form('x'.repeat(2001), { name }),
  other: form('y'.repeat(2001), { name }),
  nested: form('Nested', { inner: { type: 'object', properties: {} } }),
  page: { mode: 'url', message: 'Look here', url: 'https://a.example', elicitationId: 'e1' },
}

export const TOOLS = [
  {
    name: 'ask',
    description: 'Asks.',
    inputSchema: { type: 'object', properties: { of: { type: 'array', items: { type: 'string' } } } },
  },
]

const text = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })

/** Asks one after another, while the request is open. */
async function pushes(of, { mcpReq }) {
  const answers = []
  for (const question of of) {
    const params = QUESTIONS[question]
    answers.push(await mcpReq.send({ method: 'elicitation/create', params }, { timeout: 2 ** 31 - 1 }))
  }
  return text(answers)
}

/** Each round asks one question, or several whose names have `+` between them. */
function rounds(of, { mcpReq: { requestState, inputResponses } }) {
  const state = requestState?.() ?? undefined
  const answers = state === undefined ? [] : JSON.parse(state.state ?? state)
  if (inputResponses !== undefined) answers.push(inputResponses)
  const next = of[answers.length]
  if (next === undefined) return text(answers)
  if (next === 'sampling') {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 }
    return inputRequired({ inputRequests: { model: inputRequired.createMessage(params) } })
  }
  const inputRequests = Object.fromEntries(next.split('+').map(one => [one, inputRequired.elicit(QUESTIONS[one])]))
  return inputRequired({ inputRequests, requestState: JSON.stringify(answers) })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.env.PIDS !== undefined) appendFileSync(process.env.PIDS, `${process.pid}\n`)
  serveStdio(({ era }) => {
    const server = new Server({ name: 'asking', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { of = [] } = params.arguments ?? {}
      const result = era === 'modern' ? rounds(of, context) : await pushes(of, context)
      if (result.content !== undefined) appendFileSync(process.env.EFFECTS, 'ran\n')
      return result
    })
    return server
  })
}
