// What a user is asked before a tool runs. An equal call asks the same question again.
import { randomBytes } from 'node:crypto'

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
      preview: `Execute ${tool.id} with ${JSON.stringify(args)}`,
    }
    this.#open.set(key, asked)
    return asked
  }
}
