// An artifact's text: it is loaded and its tools run, or the load fails with a code.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { createRegistry } from '../../index.js'

const ECHO = { execute: (/** @type {any} */ { args }) => ({ ok: true, data: args }) }
/** The handlers of the tools that the seeds contain: an artifact that names others loads no file. */
const HANDLERS = Object.fromEntries(['tool_0', 'tool_1', 'tool_2'].map(name => [name, ECHO.execute]))
const CODES = ['ARTIFACT_INVALID', 'ARTIFACT_VERSION', 'TOOL_INVALID', 'HANDLER_INVALID']

const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-fuzz-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

/** @param {{ bytes: string }} input in base64 */
export async function runCase({ bytes }) {
  const artifact = path.join(folder, 'tool_registry.json')
  writeFileSync(artifact, Buffer.from(bytes, 'base64'))
  let registry
  try {
    registry = createRegistry({ artifact, handlers: HANDLERS, audit: 'none' })
    await registry.load()
  } catch (error) {
    const { code } = /** @type {any} */ (error)
    if (CODES.includes(code)) return code
    throw error
  }
  try {
    const session = await registry.createSession({ sessionId: 'fuzz', mode: 'text' })
    for (const [index, name] of Object.keys(HANDLERS).entries()) {
      const answer = await session.execute({ id: `call_${index}`, name, args: {} })
      if (typeof answer.ok !== 'boolean') throw new Error('a call has no answer')
    }
    return 'loaded'
  } finally {
    await registry.close({ timeoutMs: 100 })
  }
}
