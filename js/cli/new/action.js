'use strict'

// The template of an action: it has effects for people, so its calls are confirmed first.

const { handler, schema, testFile } = require('./files.js')

/** @param {import('./files.js').TemplateInput} input */
module.exports = ({ toolId, kind, runner }) => ({
  schema: schema({
    toolId,
    description: 'Put a note on the shared board. Use it only when the user asks for it.',
    category: 'action',
    sideEffects: 'writes',
    idempotent: false,
    requiresConfirmation: true,
    allowedModes: ['text', 'voice'],
    latencyBudgetMs: 1000,
    confirmation: { preview: 'Put "{text:60}" on the board' },
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: {
        text: { type: 'string', minLength: 1, maxLength: 500, description: 'What the note says.' },
      },
    },
  }),
  texts: {
    'guide.md': `# ${toolId}

Puts a note on the shared board, once the user has agreed.

## Parameters

- \`text\` (string, required): what the note says.

## Examples

Puts one note there:

\`\`\`json
{ "text": "The meeting is at ten." }
\`\`\`

## Watch Out

- Everybody sees the board.
`,
    'handler.js': handler(
      kind,
      `async function execute({ args, meta }) {
  // Write here; a store that checks \`meta.idempotencyKey\` applies a call only once.
  return { ok: true, data: { noteId: meta.idempotencyKey, text: args.text } }
}
`,
    ),
    ...testFile({
      toolId,
      runner,
      does: 'runs once the user has agreed',
      body: `  const asked = await session.execute({ name: '${toolId}', args: { text: 'Hello' } })
  assert.equal(asked.error.type, 'CONFIRMATION_REQUIRED')
  assert.equal(asked.error.confirmation_request.preview, 'Put "Hello" on the board')
  const response = await session.confirm(asked.error.confirmation_request.token)
  assert.equal(response.ok, true, JSON.stringify(response.error))
  assert.equal(response.data.text, 'Hello')
`,
    }),
  },
})
