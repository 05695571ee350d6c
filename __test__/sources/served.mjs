// A registry whose only source answers as the test says.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { createRegistry } from '../../index.js'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'
import { build, lockedProject } from './locked.mjs'
import { lockOf, program } from './support.mjs'

const SERVER = fileURLToPath(new URL('answers-server.mjs', import.meta.url))

/**
 * @param {Record<string, { result?: object } & object>} tools by name: the result of every call, and fields of the definition
 * @param {object} [options] of the registry
 * @param {object} [fields] of the source's file
 * @returns `rewrite`: the server's tools from now on; `lines`: the audit
 */
export async function answering(tools, options = {}, fields = { reads: ['*'] }) {
  const file = path.join(temporaryFolder(), 'tools.json')
  const rewrite = given => writeFileSync(file, JSON.stringify(definitionsOf(given)))
  rewrite(tools)
  return { ...(await served(program(SERVER, [file]), { fields, options })), rewrite }
}

/**
 * A registry whose only source is a program.
 * @param {ReturnType<typeof program>} followed
 * @param {object} given `fields`: of the source's file; `options`: of the registry; `lockedAs`: the program that was locked, if it
 *   was another
 * @returns `lines`: the audit
 */
export async function served(followed, { fields = {}, options = {}, lockedAs = followed } = {}) {
  const { tools: locked } = await lockOf(lockedAs.config)
  const definitions = Object.values(locked).map(({ definition }) => definition)
  const project = lockedProject({ shop: { definitions, ...fields } })
  const report = await build(project)
  expect(report.ok).toBe(true)
  const lines = []
  const registry = createRegistry({
    artifact: project.artifact,
    sources: { shop: { transport: followed.config.transport } },
    audit: line => lines.push(JSON.parse(line)),
    onLog: () => {},
    ...options,
  })
  await registry.load()
  afterTest(() => registry.close())
  return { ...followed, lines, project, registry, report }
}

/** A text as a content block. */
export const text = (value, fields = {}) => ({ type: 'text', text: value, ...fields })

function definitionsOf(tools) {
  const all = Object.entries(tools).map(([name, { result, ...definition }]) => [
    name,
    { definition: { inputSchema: { type: 'object' }, ...definition }, result },
  ])
  return Object.fromEntries(all)
}
