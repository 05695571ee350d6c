#!/usr/bin/env node
// Command-line interface of the simulator.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ScenarioError, startSimulator } from './src/index.js'

const USAGE = `Toolgate provider simulator: speaks Gemini Live, OpenAI's Realtime, Chat Completions and Responses, and
Anthropic's Messages on this machine.

usage: toolgate-simulator [--port N] [--host ADDRESS] [--scenario FILE] [--tls-key FILE --tls-cert FILE] [--quiet]

  --port N         port to listen on (default 8787, 0 takes a free one)
  --host ADDRESS   address to listen on (default 127.0.0.1)
  --scenario FILE  scenario file (default: the one that ships)
  --tls-key FILE   private key, PEM; with it and its certificate the simulator speaks https and wss only
  --tls-cert FILE  certificate, PEM
  --quiet          do not print what happens
  --help           this text`

const OPTIONS = /** @type {const} */ ({
  port: { type: 'string', default: '8787' },
  host: { type: 'string', default: '127.0.0.1' },
  scenario: { type: 'string' },
  'tls-key': { type: 'string' },
  'tls-cert': { type: 'string' },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})

async function main() {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) return console.log(USAGE)
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65535) {
    throw new UsageError(`--port \`${values.port}\` must be a number from 0 to 65535`)
  }
  const simulator = await startSimulator({
    port: Number(values.port),
    host: values.host,
    scenarioFile: values.scenario,
    tls: tlsOf(values),
    log: values.quiet ? undefined : console.log,
  })
  console.log(`Toolgate SIMULATOR (no model, no provider) on ${simulator.url}`)
  console.log(`  Gemini Live:                 httpOptions.baseUrl = ${simulator.url}`)
  console.log(`  Chat Completions, Responses: baseURL = ${simulator.url}/v1`)
  console.log(`  OpenAI Realtime:             ${simulator.url.replace('http', 'ws')}/v1/realtime?model=any`)
  console.log(`  Anthropic Messages:          baseURL = ${simulator.url}`)
  let closing = false
  const stop = async () => {
    if (closing) return
    closing = true
    await simulator.close()
    console.log('Toolgate SIMULATOR stopped')
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

/** @param {{ 'tls-key'?: string, 'tls-cert'?: string }} options */
function tlsOf({ 'tls-key': key, 'tls-cert': cert }) {
  if ((key === undefined) !== (cert === undefined)) throw new UsageError('`--tls-key` and `--tls-cert` go together')
  return key === undefined || cert === undefined ? undefined : { key: readFileSync(key), cert: readFileSync(cert) }
}

class UsageError extends Error {}

main().catch(error => {
  const expected = error instanceof ScenarioError || error instanceof UsageError || typeof error.code === 'string'
  console.error(expected ? error.message : error)
  process.exitCode = error instanceof UsageError || String(error.code).startsWith('ERR_PARSE_ARGS') ? 2 : 1
})
