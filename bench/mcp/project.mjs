// A project whose only tool is that of the benchmark's server, and a registry over it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { toolgate } from '../toolgate.mjs'

const CLI = fileURLToPath(new URL('../../js/cli/main.js', import.meta.url))
export const SERVER = { command: process.execPath, args: [fileURLToPath(new URL('text-server.mjs', import.meta.url))] }
/** Texts are not shortened, so that all carry the same. */
const SOURCE = {
  transport: SERVER,
  shared: true,
  reads: ['read'],
  tools: { read: { resultLimitBytes: 4 * 1024 * 1024 } },
}
export const POLICY = { totalCalls: 1_000_000, retrievalCalls: 1_000_000 }

/** @typedef {{ artifact: string, sources: string }} Project absolute paths */

/** @returns {Promise<Project & { remove(): void }>} locked by the command, and built */
export async function sourceProject() {
  const home = mkdtempSync(path.join(tmpdir(), 'toolgate-bench-mcp-'))
  const remove = () => rmSync(home, { recursive: true, force: true })
  try {
    const sources = path.join(home, 'sources')
    mkdirSync(sources)
    writeFileSync(path.join(sources, 'bench.json'), JSON.stringify(SOURCE))
    execFileSync(process.execPath, [CLI, 'mcp', 'lock'], { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] })
    const report = await toolgate.buildTools({ toolsDir: path.join(home, 'tools'), outDir: home, sourcesDir: sources })
    if (!report.ok) throw new Error(toolgate.formatReport(report))
    return { artifact: path.join(home, 'tool_registry.json'), sources, remove }
  } catch (problem) {
    remove()
    throw problem
  }
}

/** With its audit on. @param {Project} project */
export const openRegistry = ({ artifact, sources }) =>
  toolgate.createRegistry({ artifact, sources, audit: () => {} }).load()
