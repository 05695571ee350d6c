// A registry over 500 generated tools and the shipped meta-tools, compiled once for the tests of a file.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { createRegistry } from '../../index.js'
import { manyTools } from '../../bench/search/many-tools.mjs'
import { execute as describeTool } from '../../tools/reg_describe/handler.js'
import { execute as searchTools } from '../../tools/reg_search/handler.js'
import { compileTools, ECHO_HANDLER, writeTools } from '../support/tool-set.mjs'

export const META_TOOLS = { reg_describe: describeTool, reg_search: searchTools }
const echo = ({ args }) => ({ ok: true, data: args })

/**
 * @param {{ always?: string[], options?: object }} [settings] `always`: ids of tools with `alwaysDeclared`; `options`: of
 *   the registry
 * @returns {Promise<{ registry: object, artifact: string, handlers: object, close(): Promise<void> }>} each generated tool
 *   answers with its arguments
 */
export async function openManyTools({ always = [], options = {} } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-many-'))
  const tools = manyTools(500)
  writeTools(folder, Object.fromEntries(tools.map(tool => [tool.toolId, fieldsOf(tool, always)])))
  for (const name of Object.keys(META_TOOLS)) copyMetaTool(name, folder)
  const { artifact } = await compileTools(folder)
  const handlers = { ...Object.fromEntries(tools.map(({ toolId }) => [toolId, echo])), ...META_TOOLS }
  const registry = createRegistry({ artifact, handlers, ...options })
  await registry.load()
  const close = async () => {
    await registry.close({ timeoutMs: 0 })
    rmSync(folder, { recursive: true, force: true })
  }
  return { registry, artifact, handlers, close }
}

function fieldsOf({ parameters: { properties, required }, ...fields }, always) {
  return { ...fields, properties, required, ...(always.includes(fields.toolId) && { alwaysDeclared: true }) }
}

/** Its handler is given to the registry: the one of its folder imports paths of the package. */
function copyMetaTool(name, folder) {
  mkdirSync(path.join(folder, name))
  for (const file of ['schema.json', 'guide.md'])
    cpSync(new URL(`../../tools/${name}/${file}`, import.meta.url), path.join(folder, name, file))
  writeFileSync(path.join(folder, name, 'handler.js'), ECHO_HANDLER)
}
