// What is measured: two tools as a team would have them, their handlers, and calls whose arguments are about 100 bytes,
// 2 KB, 200 KB or 2 MB of JSON text, each call with arguments of its own.

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
      collection: {
        type: 'string',
        enum: ['help', 'blog', 'policies'],
        default: 'help',
        description: 'Where to look.',
      },
      language: {
        type: 'string',
        pattern: '^[a-z]{2}(-[A-Z]{2})?$',
        description: 'A language tag such as `en` or `en-GB`.',
      },
      top_k: { type: 'integer', minimum: 1, maximum: 10, default: 5, description: 'The most articles to return.' },
    },
  },
}

const record = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name', 'email', 'created_at', 'quantity'],
  properties: {
    id: { type: 'string', pattern: '^[a-z]{2}-[0-9]{4,8}$', description: "The record's own id." },
    name: { type: 'string', minLength: 1, maxLength: 200, description: 'A name for people.' },
    email: { type: 'string', format: 'email', description: 'Who to write to.' },
    created_at: { type: 'string', format: 'date-time', description: 'When it was made.' },
    quantity: { type: 'integer', minimum: 0, maximum: 100000, description: 'How many.' },
    tags: {
      type: 'array',
      maxItems: 16,
      items: { type: 'string', maxLength: 32 },
      description: 'Words to find it by.',
    },
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

/** Refused by its rate after the first call. */
const limitedSearch = { ...searchArticles, toolId: 'limited_search', rateLimit: { calls: 1, windowMs: 3_600_000 } }

/** Asks its user first. */
const purgeArticles = {
  ...searchArticles,
  toolId: 'purge_articles',
  description: 'Remove the help articles that match.',
  category: 'action',
  sideEffects: 'writes',
  requiresConfirmation: true,
}

/** `schema.json` of each tool. */
export const tools = [searchArticles, importRecords, limitedSearch, purgeArticles]

const hitOf = place => ({
  id: `article-${place}`,
  score: 1 / place,
  title: 'Resetting your password',
  snippet: 'Open Settings, choose Security.',
})
const HITS = [hitOf(1), hitOf(2)]
const MANY_HITS = Array.from({ length: 1800 }, (_, place) => hitOf(place + 1))

/** A result of about 200 bytes. */
async function search({ args }) {
  return { ok: true, data: { results: HITS.slice(0, args.top_k), asked: args.query.length } }
}

/** A result of about 200 KB. */
async function searchMany({ args }) {
  return { ok: true, data: { results: MANY_HITS, asked: args.query.length } }
}

async function importAll({ args }) {
  let quantity = 0
  for (const one of args.records) quantity += one.quantity
  const message =
    'All records were written; those with a known id have replaced what was there before. Nothing was left out.'
  return {
    ok: true,
    data: {
      collection: args.collection,
      imported: args.records.length,
      quantity,
      rejected: [],
      batch: 'batch-7f3a91c2',
      message,
    },
  }
}

/** Handlers that are done at once. */
export const handlers = {
  search_articles: search,
  import_records: importAll,
  limited_search: search,
  purge_articles: search,
}

export const largeResultHandlers = { ...handlers, search_articles: searchMany }

/** The same search, done only after a turn of the event loop: calls overlap. */
export const waitingHandlers = {
  ...handlers,
  search_articles: async context => {
    await new Promise(setImmediate)
    return search(context)
  },
}

/** All that the schema names, and nothing that is left to a default. */
function fullSmallArgs(n) {
  return {
    query: `how do I reset the password of account ${n}?`,
    collection: 'help',
    language: 'en',
    top_k: 1 + (n % 9),
  }
}

function smallArgs(n) {
  const args = { query: `how do I reset the password of account ${n}?`, collection: 'help', language: 'en' }
  // Models leave out what has a default as often as not.
  return n % 2 === 0 ? { ...args, top_k: 1 + (n % 9) } : args
}

function recordArgs(n, count, name = 'Record') {
  return {
    collection: 'leads',
    dry_run: false,
    records: Array.from({ length: count }, (_, place) => recordOf(n + place, name)),
  }
}

/** As a model sends them that leaves out whatever has a default. */
function leaveOutDefaults({ collection, records }) {
  return { collection, records: records.map(({ active, ...rest }) => rest) }
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

/** One record of many is wrong: what comes before it is read all the same. */
function spoil(args) {
  args.records.at(-2).email = 'nobody'
  delete args.records.at(-1).name
  return args
}

/**
 * Arguments by size. `args(n)` are other arguments for every `n`; of `defaulted(n)` everything with a default is left out;
 * `bad(n)` are such that VALIDATION refuses.
 * @type {Record<string, { tool: string, args: (n: number) => object, defaulted?: (n: number) => object, bad?: (n: number) => object }>}
 */
export const sizes = {
  small: {
    tool: 'search_articles',
    args: smallArgs,
    full: fullSmallArgs,
    defaulted: n => ({ query: fullSmallArgs(n).query }),
    bad: n => ({ ...smallArgs(n), top_k: 99, limit: 5 }),
  },
  medium: {
    tool: 'import_records',
    args: n => recordArgs(n, 9),
    defaulted: n => leaveOutDefaults(recordArgs(n, 9)),
    bad: n => spoil(recordArgs(n, 9)),
  },
  accents: { tool: 'import_records', args: n => recordArgs(n, 9, 'Größe „Élan“ – 記録') },
  large: { tool: 'import_records', args: n => recordArgs(n, 930), bad: n => spoil(recordArgs(n, 930)) },
  huge: { tool: 'import_records', args: n => recordArgs(n, 9300), bad: n => spoil(recordArgs(n, 9300)) },
}

/** A provider's call id: stable, and another one for every `n`. */
export function providerId(n) {
  return `call_${n.toString(36).padStart(10, '0')}_bench`
}

/** `count` tools like the first two, each with a schema of its own: what a start-up compiles. */
export function manyTools(count) {
  return Array.from({ length: count }, (_, n) => {
    const tool = structuredClone(n % 2 === 0 ? searchArticles : importRecords)
    tool.toolId = `tool_${n}`
    tool.parameters.properties[`field_${n}`] = {
      type: 'string',
      maxLength: 10 + n,
      description: 'A field of this tool alone.',
    }
    return tool
  })
}
