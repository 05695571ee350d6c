// A project of a user: a folder with package.json, tools, and the package installed.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { temporaryFolder, writeTools } from './tool-set.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** What authors write schemas with. */
const LIBRARIES = ['zod', 'valibot', '@valibot', 'arktype', '@ark', '@sinclair', 'typebox', 'effect']
/** The project uses all providers. */
const MANIFEST = {
  name: 'a-project',
  private: true,
  type: 'module',
  dependencies: { openai: '*', '@google/genai': '*', '@anthropic-ai/sdk': '*' },
}

/**
 * @param {{ tools?: Record<string, object>, manifest?: object }} [options] `tools` as `writeTools` takes them; `manifest`: fields of
 *   package.json
 * @returns {{ home: string, tools: string, write(name: string, text: string): void }} `write` by a path below `home`
 */
export function project({ tools = {}, manifest = {} } = {}) {
  const home = temporaryFolder()
  const write = (name, text) => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
    writeFileSync(path.join(home, name), text)
  }
  write('package.json', JSON.stringify({ ...MANIFEST, ...manifest }))
  mkdirSync(path.join(home, 'node_modules'))
  symlinkSync(ROOT, path.join(home, 'node_modules', 'toolgate'), 'dir')
  for (const name of LIBRARIES)
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(home, 'node_modules', name), 'dir')
  const folder = path.join(home, 'tools')
  mkdirSync(folder)
  writeTools(folder, tools)
  return { home, tools: folder, write }
}
