// The tools of the packed package through the MCP clients that people use: each lists them, and calls one whose result has a
// tuple and an `$id`, one that fails, and one with arguments that do not fit.
import { spawnSync } from 'node:child_process'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { canMakeVenv } from '../../scripts/system-programs.mjs'
import { AI_SDK, CALLS, FASTMCP, LANGCHAIN, PYTHON_MCP, SDK_1, SDK_2 } from './mcp-clients/programs.mjs'
import { createProject, packPackage } from './project.mjs'

const TOOLS = fileURLToPath(new URL('mcp-clients/tools/', import.meta.url))
const DEPENDENCIES = {
  '@modelcontextprotocol/sdk': '^1.26.0',
  '@modelcontextprotocol/server': '^2.4.0',
  '@modelcontextprotocol/client': '^2.4.0',
  '@ai-sdk/mcp': '^2.0.99',
  '@langchain/mcp-adapters': '^1.1.4',
  '@langchain/core': '^1.1.48',
  '@langchain/langgraph': '^1.4.10',
  zod: '^4.0.0',
}
const PYTHON_DEPENDENCIES = ['mcp==2.3.0', 'fastmcp==4.2.3']
const MINUTES = 60_000
const SERVER = ['node', 'node_modules/toolgate/js/cli/main.js', 'mcp', 'tools']
const CLIENTS = { 'the SDK 1': SDK_1, 'the SDK 2': SDK_2, 'the AI SDK': AI_SDK, LangChain: LANGCHAIN }
const PYTHON_CLIENTS = { mcp: PYTHON_MCP, fastmcp: FASTMCP }

let packed
let project
beforeAll(async () => {
  packed = await packPackage()
  project = await createProject({ tarball: packed.tarball, dependencies: DEPENDENCIES })
  await cp(TOOLS, path.join(project.folder, 'tools'), { recursive: true })
  await project.run('npx', ['toolgate', 'build', 'tools'])
}, 10 * MINUTES)
afterAll(async () => {
  await project?.remove()
  await packed?.remove()
})

/** The last line that a program prints. */
async function printed(runtime, file, program) {
  await project.write({ [file]: program })
  const output = await project.run(runtime, [file, JSON.stringify(SERVER), JSON.stringify(CALLS)])
  return JSON.parse(output.trim().split('\n').at(-1))
}

const expected = {
  tools: ['fails', 'needs_text', 'pair'],
  pair: { data: { at: ['a', 2] } },
  fails: { error: expect.stringContaining('there is no such thing') },
  // LangChain refuses the arguments itself.
  needs_text: { error: expect.stringMatching(/required property `text` is missing|did not match expected schema/) },
}

test.each(Object.keys(CLIENTS))(
  '%s',
  async name => expect(await printed(process.execPath, 'client.mjs', CLIENTS[name])).toEqual(expected),
  2 * MINUTES,
)

if (canMakeVenv() || process.env.CI) {
  describe('in Python', () => {
    beforeAll(async () => {
      const made = spawnSync('python3', ['-m', 'venv', path.join(project.folder, 'venv')], { encoding: 'utf8' })
      if (made.status !== 0) throw new Error(`python3 -m venv failed: ${made.error ?? made.stdout + made.stderr}`)
      await project.run('venv/bin/pip', ['install', '-q', '--disable-pip-version-check', ...PYTHON_DEPENDENCIES])
    }, 10 * MINUTES)

    test.each(Object.keys(PYTHON_CLIENTS))(
      '%s',
      async name => expect(await printed('venv/bin/python', 'client.py', PYTHON_CLIENTS[name])).toEqual(expected),
      2 * MINUTES,
    )
  })
} else test.skip('in Python: no python3 with venv was found', () => {})
