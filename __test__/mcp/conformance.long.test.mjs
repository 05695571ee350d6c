// The conformance suite of the protocol against folder tools: what passes today goes on passing.
//
// What it does not pass needs what a folder of tools has not: media, logging, sampling, forms of a tool's own, resources and prompts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { TOOLS } from './conformance-tools.mjs'
import { served } from './http-support.mjs'

const PACKAGES = fileURLToPath(new URL('../newer-node/node_modules', import.meta.url))
// The suite runs under a newer Node than this one.
const NODE = path.join(PACKAGES, 'node', 'bin', 'node')
const SUITE = path.join(PACKAGES, '@modelcontextprotocol', 'conformance', 'dist', 'index.js')

/** Runs the suite. @returns the scenarios that ran checks, and passed all of them */
async function passing(revision) {
  const { url } = await served({}, TOOLS)
  const words = [SUITE, 'server', '--url', url, '--requirements', revision]
  const child = spawn(NODE, words, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 120_000 })
  let told = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    told += text
  })
  await once(child, 'close')
  const lines = told.matchAll(/^\s*✓ ([\w-]+): ([1-9]\d*) passed, 0 failed/gm)
  return [...lines].map(([, name]) => name).sort()
}

const EXPECTED = {
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
const here = existsSync(NODE) && existsSync(SUITE)
if (!here) console.log('skipped: the conformance suite is not installed (npm run test:all)')

;(here || process.env.CI ? test.each : test.skip.each)(Object.entries(EXPECTED))(
  'of %s',
  async (revision, expected) => {
    expect(await passing(revision)).toEqual(expected)
  },
  180_000,
)
