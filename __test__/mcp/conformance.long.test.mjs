// The conformance suites of the protocol: in full against a source that has whatever their scenarios ask for, and against folder
// tools, where what passes goes on passing.
//
// What folder tools do not pass needs what they have not: media, logging, sampling, forms of a tool's own, resources and prompts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { createRegistry } from '../../index.js'
import { build, lockedProject } from '../sources/locked.mjs'
import { lockOf, withDefaults } from '../sources/support.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { TOOLS } from './conformance-tools.mjs'
import { served, serving } from './http-support.mjs'

const PACKAGES = fileURLToPath(new URL('../newer-node/node_modules', import.meta.url))
// The suite runs under a newer Node than this one.
const NODE = path.join(PACKAGES, 'node', 'bin', 'node')
const suite = name => path.join(PACKAGES, '@modelcontextprotocol', name, 'dist', 'index.js')
const [SUITE, OLDER_SUITE] = [suite('conformance'), suite('conformance-0.1')]
const EVERYTHING = fileURLToPath(new URL('everything-server.mjs', import.meta.url))

/** Runs a suite. @returns the scenarios that ran checks, with the checks passed and failed */
async function scenarios(url, [program, ...options]) {
  const words = [program, 'server', '--url', url, ...options]
  const child = spawn(NODE, words, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 240_000 })
  let told = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    told += text
  })
  await once(child, 'close')
  const lines = told.matchAll(/^\s*[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)
  const counts = [...lines].map(([, name, passed, failed]) => [name, Number(passed), Number(failed)])
  return counts.filter(([, passed, failed]) => passed + failed > 0).sort(([one], [other]) => (one < other ? -1 : 1))
}

/** The address of a server of one generation in a process of its own. */
async function everything(era) {
  const child = spawn(process.execPath, [EVERYTHING, era], { stdio: ['ignore', 'pipe', 'inherit'] })
  afterTest(async () => {
    child.kill()
    await once(child, 'close')
  })
  const [line] = await once(child.stdout, 'data')
  return String(line).trim()
}

/** A registry whose only source is that server, over HTTP. */
async function servedSource(era) {
  const transport = { url: await everything(era) }
  const fields = { prefix: '', reads: ['*'], sampling: true, roots: true }
  const { tools, ...facts } = await lockOf(withDefaults({ transport, ...fields }), { era })
  const definitions = Object.values(tools).map(({ definition }) => definition)
  const project = lockedProject({ everything: { definitions, facts, transport, ...fields } })
  expect(await build(project)).toMatchObject({ ok: true })
  const registry = createRegistry({
    artifact: project.artifact,
    sources: project.sourcesDir,
    audit: 'none',
    // The suite sends more calls in a second than a model does in a turn.
    modes: { text: { retrievalCalls: 1000, totalCalls: 1000 } },
  })
  await registry.load()
  afterTest(() => registry.close())
  return (await serving(registry, { turnGapMs: 0 })).url
}

/** An extension that no server is asked to have. */
const isExtension = name => name.startsWith('tasks-')
/** Pending: the suite does not score it. */
const CUSTOM_HEADERS = 'http-custom-header-server-validation'

const of = revision => [SUITE, '--requirements', revision]
const TOTALS = {
  'suite 0.1': { run: [OLDER_SUITE], era: 'legacy', scenarios: 30, checks: 40 },
  '2025-11-25': { run: of('2025-11-25'), era: 'legacy', scenarios: 32, checks: 81 },
  '2026-07-28': { run: of('2026-07-28'), era: 'modern', scenarios: 39, checks: 140 },
}

const OF_FOLDERS = {
  '2025-11-25': [
    'dns-rebinding-protection',
    'json-schema-2020-12',
    'ping',
    'server-initialize',
    'server-session-lifecycle',
    'server-sse-multiple-streams',
    'tools-call-elicitation',
    'tools-call-error',
    'tools-call-simple-text',
    'tools-call-with-progress',
    'tools-list',
  ],
  '2026-07-28': [
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-ignore-extra-params',
    'input-required-result-missing-input-response',
    'input-required-result-request-state',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
    'json-schema-2020-12',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'tools-call-error',
    'tools-call-simple-text',
    'tools-call-with-progress',
    'tools-list',
  ],
}
const here = [NODE, SUITE, OLDER_SUITE].every(file => existsSync(file))
if (!here) console.log('skipped: the conformance suites are not installed (npm run test:all)')
const each = here || process.env.CI ? test.each : test.skip.each

each(Object.entries(TOTALS))('a source passes what is scored of %s', async (_, { run, era, ...totals }) => {
  const ran = await scenarios(await servedSource(era), run)
  const scored = ran.filter(([name]) => !isExtension(name) && name !== CUSTOM_HEADERS)
  expect(scored.filter(([, , failed]) => failed > 0)).toEqual([])
  const checks = scored.reduce((sum, [, passed]) => sum + passed, 0)
  expect({ scenarios: scored.length, checks }).toEqual(totals)
})

each(Object.entries(OF_FOLDERS))('folder tools pass of %s what they did', async (revision, expected) => {
  const { url } = await served({}, TOOLS)
  const ran = await scenarios(url, of(revision))
  expect(ran.filter(([, , failed]) => failed === 0).map(([name]) => name)).toEqual(expected)
})
