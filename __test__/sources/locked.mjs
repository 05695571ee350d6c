// Locks of the tests: made of definitions, as `toolgate mcp lock` makes them of a server's list.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { buildTools } from '../../index.js'
import { temporaryFolder, writeTools } from '../support/tool-set.mjs'

const require = createRequire(import.meta.url)
const { lockSource } = require('../../js/sources/lock-source.js')
const { writeLock } = require('../../js/sources/lock-file.js')
const { withDefaults } = require('../../js/sources/source-config.js')

export const FACTS = { era: 'legacy', protocolVersion: '2025-11-25', capabilities: { tools: {} } }

/** A definition as a server publishes it. */
export const published = (name, fields = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  ...fields,
})

/**
 * A project with sources and their lock.
 * @param {Record<string, { definitions: object[] } & object>} sources by name: the list of the server, what it says of itself, and fields of its file
 * @param {Record<string, object>} [tools] with folders of their own
 */
export function lockedProject(sources, tools = {}) {
  const home = temporaryFolder()
  const project = { home, toolsDir: path.join(home, 'tools'), sourcesDir: path.join(home, 'sources') }
  mkdirSync(project.sourcesDir)
  if (Object.keys(tools).length > 0) writeTools(project.toolsDir, tools)
  const locked = Object.entries(sources).map(
    ([name, { definitions, facts = FACTS, transport = { command: 'node' }, ...fields }]) => {
      const configText = JSON.stringify({ transport, ...fields })
      writeFileSync(path.join(project.sourcesDir, `${name}.json`), configText)
      const config = withDefaults(JSON.parse(configText))
      return [
        name,
        lockSource(undefined, { name, config, configText, facts: { ...FACTS, ...facts }, definitions }, () => true),
      ]
    },
  )
  const lock = { lockVersion: 1, sources: Object.fromEntries(locked) }
  writeLock(project.sourcesDir, lock)
  return {
    ...project,
    lock,
    lockFile: path.join(home, 'toolgate.lock.json'),
    artifact: path.join(project.toolsDir, 'tool_registry.json'),
  }
}

/** @param {{ toolsDir: string, sourcesDir: string }} project */
export const build = ({ toolsDir, sourcesDir }, options = {}) => buildTools({ toolsDir, sourcesDir, ...options })

/** `code at pointer` of each finding. */
export const findings = report => report.diagnostics.map(({ code, file, pointer = '' }) => `${code} ${file}${pointer}`)
