// Tool folders written into a temporary directory and compiled there, as `npm run build:tools` does with a project's own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { toolgate } from './toolgate.mjs'

/**
 * Writes a folder for each tool.
 * @param {object[]} tools contents of `schema.json`
 * @returns {{ root: string, toolsDir: string, remove(): void }} where they are
 */
export function writeToolFolders(tools) {
  const root = mkdtempSync(join(tmpdir(), 'toolgate-bench-'))
  const remove = () => rmSync(root, { recursive: true, force: true })
  try {
    const toolsDir = join(root, 'tools')
    for (const tool of tools) writeTool(join(toolsDir, tool.toolId), tool)
    return { root, toolsDir, remove }
  } catch (problem) {
    remove()
    throw problem
  }
}

/**
 * @param {object[]} tools contents of `schema.json`
 * @returns {Promise<{ path: string, artifact: object, remove(): void }>} the compiled set: its file, and what is in it
 */
export async function compileToolSet(tools) {
  const { root, toolsDir, remove } = writeToolFolders(tools)
  try {
    const report = await toolgate.buildTools({ toolsDir, outDir: root })
    if (!report.ok) throw new Error(`the benchmark's tools do not compile:\n${toolgate.formatReport(report)}`)
    const path = join(root, 'tool_registry.json')
    return { path, artifact: JSON.parse(readFileSync(path, 'utf8')), remove }
  } catch (problem) {
    remove()
    throw problem
  }
}

function writeTool(folder, tool) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(tool, null, 2))
  writeFileSync(join(folder, 'guide.md'), guideOf(tool))
  // The benchmark hands its handlers in; the compiler wants to see one that is there.
  writeFileSync(join(folder, 'handler.js'), 'export function execute() {\n  return { ok: true }\n}\n')
}

function guideOf({ toolId, description, parameters }) {
  const lines = [...documented(parameters)]
  return `# ${toolId}\n\n${description}\n\n## Parameters\n\n${lines.join('\n')}\n\n## Examples\n\nSee the parameters.\n`
}

function* documented(schema) {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield `- \`${name}\`: ${property.description}`
    yield* documented(property)
  }
  if (schema.items) yield* documented(schema.items)
}
