'use strict'

// The template of a retrieval tool: it reads, and its calls have a separate budget.

const { handler, schema, testFile } = require('./files.js')

/** @param {import('./files.js').TemplateInput} input */
module.exports = ({ toolId, kind, runner }) => ({
  schema: schema({
    toolId,
    description: 'Find opening hours by the name of a place. Use it before you say when something is open.',
    category: 'retrieval',
    sideEffects: 'read_only',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text', 'voice'],
    latencyBudgetMs: 300,
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 200, description: 'Words of the name.' },
        top_k: { type: 'integer', minimum: 1, maximum: 10, default: 3, description: 'How many results at most.' },
      },
    },
  }),
  texts: {
    'guide.md': `# ${toolId}

Finds opening hours by the name of a place.

## Parameters

- \`query\` (string, required): words of the name.
- \`top_k\` (integer, 1 to 10, default 3): how many results at most.

## Examples

Finds the library:

\`\`\`json
{ "query": "library" }
\`\`\`
`,
    'handler.js': handler(
      kind,
      `async function execute({ args }) {
  // Query your own service here: name it under \`requires\` in schema.json and read it from \`services\`.
  const places = [
    { id: 'library', name: 'City library', hours: '9 to 18' },
    { id: 'pool', name: 'Indoor pool', hours: '7 to 21' },
  ]
  const query = args.query.toLowerCase()
  const found = places.filter(({ name }) => name.toLowerCase().split(' ').some(word => query.includes(word)))
  return { ok: true, data: { results: found.slice(0, args.top_k) } }
}
`,
    ),
    ...testFile({
      toolId,
      runner,
      does: 'finds a place by a word of its name',
      body: `  const response = await session.execute({ name: '${toolId}', args: { query: 'library' } })
  assert.equal(response.ok, true, JSON.stringify(response.error))
  assert.deepEqual(response.data.results.map(({ id }) => id), ['library'])
`,
    }),
  },
})
