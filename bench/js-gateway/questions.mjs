// What a user is asked before a tool runs. An equal call asks the same question again.
import { randomBytes } from 'node:crypto'

/** The title of a tool that has none: `purge_articles` is `Purge articles`. */
const titleOf = id => id[0].toUpperCase() + id.slice(1).replaceAll('_', ' ')

const rowOf = ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`

export class Questions {
  /** @type {Map<string, { token: string, expires: number, tool: string, args: object, preview: string }>} */
  #open = new Map()

  /** @returns the question of a call that is otherwise good to run */
  ask(tool, identity, args) {
    const key = `${tool.id} ${identity}`
    const known = this.#open.get(key)
    if (known !== undefined && known.expires > Date.now()) return known
    const asked = {
      token: `tgc_${randomBytes(16).toString('hex')}`,
      expires: Date.now() + tool.confirmationTtlMs,
      tool: tool.id,
      args,
      preview: [titleOf(tool.id), ...Object.entries(args).map(rowOf)].join('\n'),
    }
    this.#open.set(key, asked)
    return asked
  }
}
