// The tool set of the demo: the shipped tools, and those of the source in `demo/`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import toolgate from '../index.js'
import { root } from './run-step.mjs'

/** Where each server of the demo finds the package that connects to sources. */
const SERVERS = [root, path.join(root, 'web', '.next', 'standalone')]
const CLIENT = path.join('node_modules', '@modelcontextprotocol', 'client')

/**
 * Builds it, unless the environment names another one, or a server can't connect to sources.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Record<string, string>>} the variables that name it to both servers; none for the shipped tools alone
 */
export async function demoTools({ TOOLGATE_ARTIFACT: named }) {
  if (named || !SERVERS.every(folder => existsSync(path.join(folder, CLIENT)))) return {}
  return buildDemo(path.join(root, '.toolgate', 'demo'))
}

/** @param {string} home of the tool set, and of its prompts @returns {Promise<{ TOOLGATE_ARTIFACT: string, TOOLGATE_SOURCES: string }>} */
export async function buildDemo(home) {
  const outDir = path.join(home, 'tools')
  const sourcesDir = path.join(root, 'demo', 'sources')
  const report = await toolgate.buildTools({ toolsDir: path.join(root, 'tools'), outDir, sourcesDir })
  if (!report.ok) throw new Error(toolgate.formatReport(report))
  // What a prompt says of the studio stands with the shipped set alone.
  const prompts = ['tools/_prompts/studio.md', 'prompts/core.md'].map(file =>
    readFileSync(path.join(root, file), 'utf8'),
  )
  mkdirSync(path.join(home, 'prompts'), { recursive: true })
  writeFileSync(path.join(home, 'prompts', 'core.md'), prompts.map(text => text.trim()).join('\n\n'))
  return { TOOLGATE_ARTIFACT: path.join(outDir, 'tool_registry.json'), TOOLGATE_SOURCES: sourcesDir }
}
