'use strict'

// The template of a utility: it only computes.

const { handler, schema, testFile } = require('./files.js')

/** @param {import('./files.js').TemplateInput} input */
module.exports = ({ toolId, kind, runner }) => ({
  schema: schema({
    toolId,
    description: 'Count the words of a text. Use it when the user asks how long a text is.',
    category: 'utility',
    sideEffects: 'none',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text', 'voice'],
    latencyBudgetMs: 100,
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: {
        text: { type: 'string', minLength: 1, maxLength: 10000, description: 'The text whose words are counted.' },
      },
    },
  }),
  texts: {
    'guide.md': `# ${toolId}

Counts the words of a text.

## Parameters

- \`text\` (string, required): the text whose words are counted.

## Examples

Counts three words:

\`\`\`json
{ "text": "one two three" }
\`\`\`
`,
    'handler.js': handler(
      kind,
      `async function execute({ args }) {
  const words = args.text.match(/\\S+/g) ?? []
  return { ok: true, data: { words: words.length } }
}
`,
    ),
    ...testFile({
      toolId,
      runner,
      does: 'counts the words',
      body: `  const response = await session.execute({ name: '${toolId}', args: { text: 'one two three' } })
  assert.equal(response.ok, true, JSON.stringify(response.error))
  assert.deepEqual(response.data, { words: 3 })
`,
    }),
  },
})
