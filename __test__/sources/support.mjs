// Sources of the tests: MCP servers in processes of their own, of which none may be left when the test is over.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { eventually } from '../support/gate.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'

const require = createRequire(import.meta.url)
export const { Connection } = require('../../js/sources/connection.js')
export const { Source } = require('../../js/sources/source.js')
export const { digestOf } = require('../../js/sources/digest.js')
export const { DEFAULT_LIMITS, withDefaults } = require('../../js/sources/source-config.js')

const here = file => fileURLToPath(new URL(file, import.meta.url))
export const HOSTILE = here('hostile-server.mjs')
export const TOOLS_SERVER = here('tools-server.mjs')

/** A program's configuration, and the files by which the test follows it. */
export function program(file, args = [], { limits, env = {}, ...fields } = {}) {
  const folder = temporaryFolder()
  const files = {
    CALLS: path.join(folder, 'calls'),
    EFFECTS: path.join(folder, 'effects'),
    PIDS: path.join(folder, 'pids'),
    MARK: path.join(folder, 'mark'),
  }
  const transport = { command: process.execPath, args: [file, ...args], env: { ...files, ...env } }
  const lines = name => (existsSync(files[name]) ? readFileSync(files[name], 'utf8').trim().split('\n') : [])
  afterTest(() => eventually(() => !lines('PIDS').some(isAlive), `the end of ${args}`))
  return {
    config: withDefaults({ transport, limits, ...fields }),
    calls: () => lines('CALLS').length,
    effects: () => lines('EFFECTS').length,
    pids: () => lines('PIDS').map(Number),
    mark: files.MARK,
  }
}

export function isAlive(pid) {
  try {
    process.kill(Number(pid), 0)
    return true
  } catch {
    return false
  }
}

/** What the lock would have of a server. */
export async function lockOf(config, options) {
  const connection = new Connection('locking', config, options)
  try {
    const { era, protocolVersion, capabilities } = await connection.open()
    const tools = [...(await connection.list())].map(([name, definition]) => [
      name,
      { sha256: digestOf(definition), definition },
    ])
    return { era, protocolVersion, capabilities, tools: Object.fromEntries(tools) }
  } finally {
    await connection.close()
  }
}

/** A source over a program; `log` and `changes` keep what it reports. */
export function sourceOf(config, locked, options = {}) {
  const log = []
  const changes = []
  const source = new Source('probe', config, {
    locked,
    log: entry => log.push(entry),
    onChange: ({ unavailable }) => changes.push(Object.fromEntries(unavailable)),
    ...options,
  })
  afterTest(() => source.close())
  const call = (tool, args = {}, given = {}) =>
    source.call(tool, args, { sessionId: 's', signal: new AbortController().signal, writes: true, ...given })
  return { source, call, log, changes }
}

let accepted
/** The lock of the hostile server's tool, as it was accepted. */
export async function hostileLock() {
  accepted ??= await lockOf(program(HOSTILE, ['fine']).config)
  return accepted
}

/** A hostile source. */
export async function hostile(behaviour, { options, locked, ...config } = {}) {
  const followed = program(HOSTILE, [behaviour], config)
  return { ...followed, ...sourceOf(followed.config, locked ?? (await hostileLock()), options) }
}

/** How a call ended: the text of its result, or the error that its caller gets. */
export async function outcome(promise) {
  try {
    const result = await promise
    return { text: result.content?.[0]?.text }
  } catch (error) {
    const { type, retryable, partialSideEffects, details, retryAfterMs } = error
    if (type === undefined) throw error
    return {
      type,
      retryable,
      ...(partialSideEffects && { partialSideEffects }),
      ...(details && { details }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      message: error.message,
    }
  }
}
