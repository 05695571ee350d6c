// What is measured: two tools as a team would have them, their handlers, and calls whose arguments are about 100 bytes,
// 2 KB or 200 KB of JSON text, each call with arguments of its own.

const searchArticles = {
  toolId: 'search_articles',
  version: '1.2.0',
  description: 'Search the help articles by words.',
  category: 'retrieval',
  sideEffects: 'read_only',
  idempotent: true,
  requiresConfirmation: false,
  allowedModes: ['text', 'voice'],
  latencyBudgetMs: 800,
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['query'],
    properties: {
      query: { type: 'string', minLength: 3, maxLength: 500, description: 'The words to look for.' },
      collection: { type: 'string', enum: ['help', 'blog', 'policies'], default: 'help', description: 'Where to look.' },
      language: { type: 'string', pattern: '^[a-z]{2}(-[A-Z]{2})?$', description: 'A language tag such as `en` or `en-GB`.' },
      top_k: { type: 'integer', minimum: 1, maximum: 10, default: 5, description: 'The most articles to return.' },
    },
  },
}

const record = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name', 'email', 'created_at', 'quantity'],
  properties: {
    id: { type: 'string', pattern: '^[a-z]{2}-[0-9]{4,8}$', description: 'The record\'s own id.' },
    name: { type: 'string', minLength: 1, maxLength: 200, description: 'A name for people.' },
    email: { type: 'string', format: 'email', description: 'Who to write to.' },
    created_at: { type: 'string', format: 'date-time', description: 'When it was made.' },
    quantity: { type: 'integer', minimum: 0, maximum: 100000, description: 'How many.' },
    tags: { type: 'array', maxItems: 16, items: { type: 'string', maxLength: 32 }, description: 'Words to find it by.' },
    contacts: {
      type: 'array',
      maxItems: 4,
      description: 'Other ways to reach them.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'value'],
        properties: {
          kind: { type: 'string', enum: ['phone', 'mail', 'chat'], description: 'What kind.' },
          value: { type: 'string', minLength: 3, maxLength: 100, description: 'The address or number.' },
        },
      },
    },
    active: { type: 'boolean', default: true, description: 'Whether it is in use.' },
  },
}

const importRecords = {
  toolId: 'import_records',
  version: '2.0.1',
  description: 'Write a batch of records, replacing those with the same id.',
  category: 'action',
  sideEffects: 'writes',
  idempotent: true,
  requiresConfirmation: false,
  allowedModes: ['text', 'voice'],
  latencyBudgetMs: 3000,
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['collection', 'records'],
    properties: {
      collection: { type: 'string', enum: ['leads', 'orders'], description: 'Where the records go.' },
      dry_run: { type: 'boolean', default: false, description: 'Only check, write nothing.' },
      records: { type: 'array', minItems: 1, maxItems: 10000, items: record, description: 'The records.' },
    },
  },
}

/** `schema.json` of each tool. */
export const tools = [searchArticles, importRecords]

const HITS = [1, 2, 3].map((place) => ({
  id: `article-${place}`,
  score: 1 - place / 10,
  title: 'Resetting your password',
  snippet: 'Open Settings, choose Security, press "Reset".',
}))

async function search({ args }) {
  return { ok: true, data: { results: HITS.slice(0, args.top_k), asked: args.query.length } }
}

async function importAll({ args }) {
  let quantity = 0
  for (const one of args.records) quantity += one.quantity
  const message = 'All records were written; those with a known id have replaced what was there before. Nothing was left out.'
  return { ok: true, data: { collection: args.collection, imported: args.records.length, quantity, rejected: [], batch: 'batch-7f3a91c2', message } }
}

/** Handlers that are done at once. */
export const handlers = { search_articles: search, import_records: importAll }

/** The same search, done only after a turn of the event loop: calls overlap. */
export const waitingHandlers = {
  ...handlers,
  search_articles: async (context) => {
    await new Promise(setImmediate)
    return search(context)
  },
}

function smallArgs(n) {
  const args = { query: `how do I reset the password of account ${n}?`, collection: 'help', language: 'en' }
  // Models leave out what has a default as often as not.
  return n % 2 === 0 ? { ...args, top_k: 1 + (n % 9) } : args
}

function recordArgs(n, count, name = 'Record') {
  return { collection: 'leads', dry_run: false, records: Array.from({ length: count }, (_, place) => recordOf(n + place, name)) }
}

function recordOf(n, name) {
  return {
    id: `ab-${10000 + (n % 80000000)}`,
    name: `${name} number ${n}`,
    email: `user${n}@example.com`,
    created_at: '2026-01-02T03:04:05Z',
    quantity: n % 1000,
    tags: ['alpha', 'beta', `g${n % 7}`],
    contacts: [{ kind: 'phone', value: '+49 30 1234567' }],
    ...(n % 16 === 0 ? {} : { active: n % 2 === 0 }),
  }
}

/**
 * Arguments by size. `args(n)` are other arguments for every `n`; `bad(n)` are such that VALIDATION refuses.
 * @type {Record<string, { tool: string, args: (n: number) => object, bad?: (n: number) => object }>}
 */
export const sizes = {
  small: { tool: 'search_articles', args: smallArgs, bad: (n) => ({ ...smallArgs(n), top_k: 99, limit: 5 }) },
  medium: {
    tool: 'import_records',
    args: (n) => recordArgs(n, 9),
    bad: (n) => {
      const args = recordArgs(n, 9)
      args.records[4].email = 'nobody'
      delete args.records[7].name
      return args
    },
  },
  accents: { tool: 'import_records', args: (n) => recordArgs(n, 9, 'Größe „Élan“ – 記録') },
  large: { tool: 'import_records', args: (n) => recordArgs(n, 930) },
}

/** A provider's call id: stable, and another one for every `n`. */
export function providerId(n) {
  return `call_${n.toString(36).padStart(10, '0')}_bench`
}

/** `count` tools like the two above, each with a schema of its own: what a start-up compiles. */
export function manyTools(count) {
  return Array.from({ length: count }, (_, n) => {
    const tool = structuredClone(tools[n % tools.length])
    tool.toolId = `tool_${n}`
    tool.parameters.properties[`field_${n}`] = { type: 'string', maxLength: 10 + n, description: 'A field of this tool alone.' }
    return tool
  })
}
