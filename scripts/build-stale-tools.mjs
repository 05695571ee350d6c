// Builds the tool set if a source of the tools is newer than it. Does nothing without the addon, which `npm start` builds
// first.
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { root, runNpm } from './run-step.mjs'

const TOOLS = path.join(root, 'tools')
const OUTPUT = new Set(['tool_registry.json', 'tool_registry.d.ts', 'handlers.mjs'])

/** True if the tool set is missing or older than a file of the folder. */
export async function isStale(folder) {
  const artifact = path.join(folder, 'tool_registry.json')
  if (!existsSync(artifact)) return true
  const { mtimeMs: built } = await stat(artifact)
  const names = (await readdir(folder, { recursive: true })).filter(name => !OUTPUT.has(name))
  // The time of `folder` itself is not compared: every build changes it.
  const times = await Promise.all(names.map(async name => (await stat(path.join(folder, name))).mtimeMs))
  return times.some(time => time > built)
}

const hasAddon = (await readdir(root)).some(name => name.endsWith('.node'))

if (process.argv[1] === fileURLToPath(import.meta.url) && hasAddon && (await isStale(TOOLS)))
  await runNpm(['run', 'build:tools'])
