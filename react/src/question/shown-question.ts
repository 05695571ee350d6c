// Questions with their arguments as the user must see them. The core makes the rows: it knows which characters hide or
// reorder text, the order of the schema, and what is sensitive.
import type { ConfirmationRequest, NewGrant, ShownArguments } from 'toolgate'

export type ArgumentRows = ShownArguments['rows']

/** A question as a server sends it. `rows` and `parameters` are absent if its session has no such tool any more. */
export type ShownQuestion = ConfirmationRequest & {
  /** The arguments as the core shows them. */
  rows?: ArgumentRows
  /** The JSON Schema of what its user may change; absent if they may change nothing here. */
  parameters?: Record<string, unknown>
  /** The arguments that are sensitive, or have sensitive parts, as the tool's metadata has them: a form leaves these as they are. */
  sensitiveArguments?: string[]
  /** The tool's title. */
  title?: string
  /** The read-back text given to the model of a voice call. */
  readBack?: string
  /** The widest grant that the user can give with an approval; absent if the tool allows none. */
  grantable?: 'args' | 'tool'
  /** How many approvers have confirmed it. */
  confirmations?: number
  /** Whether the call can still be stopped once it has begun. */
  canStop?: boolean
}

/** What an approval changes and grants. */
export interface Wishes {
  args?: Record<string, unknown>
  grant?: NewGrant
}

/** A question that was answered elsewhere, or is over. `failed` and `done` are of the call that ran. */
export interface ClosedQuestion {
  token: string
  outcome: 'done' | 'failed' | 'running' | 'unknown' | 'denied' | 'expired'
  /** Of a call that runs: what its handler has said last. */
  progress?: unknown
}

/** The isolates that the core puts around values; in values they are escaped. */
const ISOLATES = /[\u2066\u2068\u2069]/g

/**
 * The preview without its rows, which the page shows as a table: a tool without a `confirmation.preview` has all of them in
 * it.
 */
export function previewAbove(preview: string, rows: ArgumentRows = []): string {
  const lines = rows.map(({ name, value, short }) => `\n${name}: ${short ?? value}`.replaceAll(ISOLATES, '')).join('')
  const plain = preview.replaceAll(ISOLATES, '')
  return lines !== '' && plain.endsWith(lines) ? plain.slice(0, -lines.length) : preview
}
