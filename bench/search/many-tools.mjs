// A large set of similar tools: each verb with each noun. They are generated, so that a set of any size has the same first
// tools; the needed ones must be found among many that share a word with them.

const VERBS = [
  ['create', 'Creates', 'writes'],
  ['list', 'Lists', 'read_only'],
  ['find', 'Finds', 'read_only'],
  ['update', 'Updates', 'writes'],
  ['archive', 'Archives', 'writes'],
  ['restore', 'Restores', 'writes'],
  ['approve', 'Approves', 'writes'],
  ['reject', 'Rejects', 'writes'],
  ['assign', 'Assigns', 'writes'],
  ['export', 'Exports', 'read_only'],
  ['import', 'Imports', 'writes'],
  ['track', 'Tracks', 'read_only'],
  ['schedule', 'Schedules', 'writes'],
  ['cancel', 'Cancels', 'writes'],
  ['refund', 'Refunds', 'writes'],
  ['translate', 'Translates', 'read_only'],
  ['print', 'Prints', 'writes'],
  ['share', 'Shares', 'writes'],
  ['compare', 'Compares', 'read_only'],
  ['audit', 'Audits', 'read_only'],
]
const NOUNS = [
  'invoice',
  'shipment',
  'ticket',
  'contract',
  'employee',
  'warehouse',
  'vehicle',
  'warranty',
  'campaign',
  'subscription',
  'payslip',
  'recipe',
  'lease',
  'prescription',
  'course',
  'exhibit',
  'voucher',
  'turbine',
  'apartment',
  'flight',
  'manuscript',
  'donation',
  'auction',
  'sensor',
  'passport',
]
const REGIONS = ['', 'nordic', 'iberian', 'baltic', 'andean', 'pacific', 'alpine', 'saharan', 'caribbean', 'siberian']

/** The most tools that a set can have. */
export const MOST_TOOLS = VERBS.length * NOUNS.length * REGIONS.length

/** @param {number} count up to `MOST_TOOLS` @returns {object[]} contents of `schema.json` */
export function manyTools(count) {
  const all = REGIONS.flatMap(region => NOUNS.flatMap(noun => VERBS.map(verb => schemaOf(verb, noun, region))))
  return all.slice(0, count)
}

function schemaOf([verb, does, sideEffects], noun, region) {
  const what = region === '' ? noun : `${region} ${noun}`
  return {
    toolId: [region, noun, verb].filter(part => part !== '').join('_'),
    version: '1.0.0',
    title: `${verb} ${what}`,
    description: `${does} one ${what}, which is named by its number. Use it if the user names the ${what} and asks for it.`,
    category: sideEffects === 'writes' ? 'action' : 'retrieval',
    sideEffects,
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text', 'voice'],
    latencyBudgetMs: 600_000,
    ...(sideEffects === 'writes' && { lintAccepted: ['writes-without-confirmation'] }),
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['number'],
      properties: {
        number: { type: 'string', minLength: 1, maxLength: 40, description: `Number of the ${what}, such as "A-17".` },
        note: { type: 'string', maxLength: 500, description: `What people are to know about this ${what}.` },
      },
    },
  }
}

/**
 * A conversation that needs three of the first 50 tools: for each, what the model searches for, and its call.
 */
export const THREE_NEEDS = [
  { query: 'track a shipment', name: 'shipment_track', args: { number: 'S-7' } },
  { query: 'refund an invoice', name: 'invoice_refund', args: { number: 'I-3' } },
  { query: 'assign a ticket', name: 'ticket_assign', args: { number: 'T-12' } },
]
