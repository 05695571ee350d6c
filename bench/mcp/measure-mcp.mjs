// What the gate adds to a call of a source: CPU time above the SDK's own client, on the same server; and how long a client waits
// for a source that is served over HTTP, beside `mcp-proxy`, which forwards and has no policy. In alternating rounds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

import { median, pairedDifference, pairedRatio, percentile, spread } from '../statistics.mjs'
import { POLICY, SERVER, openRegistry, sourceProject } from './project.mjs'

const fileOf = file => fileURLToPath(new URL(file, import.meta.url))
const PROXY = fileOf('../peers/node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs')
/** Calls of a block, by size. */
const SIZES = [
  { title: '1 KB', bytes: 1000, calls: 200 },
  { title: '100 KB', bytes: 100_000, calls: 50 },
]
const AT_ONCE = [1, 8]
const ROUNDS = 15
const QUICK_ROUNDS = 3
const READY_MS = 20_000

/**
 * @typedef {import('../statistics.mjs').Spread} Spread
 * @typedef {{ title: string, us: { direct: number, toolgate: number }, aboveUs: Spread }} CpuRow
 * @typedef {{ title: string, atOnce: number, p50Ms: { toolgate: number, proxy: number }, times: Spread }} LatencyRow `times`: of `mcp-proxy`'s
 * @typedef {{ rounds: number, cpu: CpuRow[], latency: LatencyRow[], missing: string[] }} McpResults
 * @typedef {{ call(bytes: number, at: number): Promise<void>, close(): Promise<void> }} Contender
 */

/** @param {{ isQuick: boolean }} options @returns {Promise<McpResults>} */
export async function measureMcp({ isQuick }) {
  const rounds = isQuick ? QUICK_ROUNDS : ROUNDS
  const hasProxy = existsSync(PROXY)
  const missing = hasProxy ? [] : ['mcp-proxy is not installed: `npm run bench -- peers` installs it']
  const project = await sourceProject()
  try {
    const cpu = await measureCpu(project, rounds)
    return { rounds, cpu, latency: hasProxy ? await measureLatency(project, rounds) : [], missing }
  } finally {
    project.remove()
  }
}

/** @param {import('./project.mjs').Project} project @param {number} rounds @returns {Promise<CpuRow[]>} */
async function measureCpu(project, rounds) {
  const opened = { direct: await clientOf(new StdioClientTransport(SERVER)), toolgate: await sessionOf(project) }
  const rows = []
  for (const { title, bytes, calls } of SIZES) {
    const us = await inTurns(opened, rounds, async (contender, from) => {
      const before = process.cpuUsage()
      for (let at = from; at < from + calls; at++) await contender.call(bytes, at)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / calls
    })
    const aboveUs = spread(pairedDifference(us.toolgate, us.direct))
    rows.push({ title, us: { direct: median(us.direct), toolgate: median(us.toolgate) }, aboveUs })
  }
  for (const contender of Object.values(opened)) await contender.close()
  return rows
}

/** @param {import('./project.mjs').Project} project @param {number} rounds @returns {Promise<LatencyRow[]>} */
async function measureLatency(project, rounds) {
  const command = [SERVER.command, ...SERVER.args]
  const opened = {
    toolgate: await served(port => [fileOf('http-child.mjs'), JSON.stringify(project), port]),
    proxy: await served(port => [PROXY, '--host', '127.0.0.1', '--port', port, '--server', 'stream', '--', ...command]),
  }
  const rows = []
  for (const { title, bytes, calls } of SIZES)
    for (const atOnce of AT_ONCE) {
      const p50Ms = await inTurns(opened, rounds, (server, from) => p50Of(server, { bytes, calls, from, atOnce }))
      const medians = { toolgate: median(p50Ms.toolgate), proxy: median(p50Ms.proxy) }
      rows.push({ title, atOnce, p50Ms: medians, times: pairedRatio(p50Ms.toolgate, p50Ms.proxy) })
    }
  for (const contender of Object.values(opened)) await contender.close()
  return rows
}

/** @param {{ connect(): Promise<Contender> }} server @returns {Promise<number>} milliseconds */
async function p50Of(server, { bytes, calls, from, atOnce }) {
  const contender = await server.connect()
  const times = []
  let next = from
  const caller = async () => {
    while (next < from + calls) {
      const at = next++
      const started = performance.now()
      await contender.call(bytes, at)
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  await contender.close()
  return percentile(times, 0.5)
}

let called = 0
/**
 * Each contender once a round, the order reversed from round to round; rounds of warm-up, a third as many, come first.
 * @template T @param {Record<string, T>} contenders @param {number} rounds @param {(contender: T, from: number) => Promise<number>} block
 * @returns {Promise<Record<string, number[]>>}
 */
async function inTurns(contenders, rounds, block) {
  const names = Object.keys(contenders)
  const figures = Object.fromEntries(names.map(name => [name, []]))
  for (let round = -Math.ceil(rounds / 3); round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      globalThis.gc?.({ type: 'minor' })
      const figure = await block(contenders[name], called)
      called += 1000
      if (round >= 0) figures[name].push(figure)
    }
  }
  return figures
}

/** @param {import('@modelcontextprotocol/client').Transport} transport @returns {Promise<Contender>} */
async function clientOf(transport) {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(transport)
  const [{ name }] = (await client.listTools()).tools
  return {
    async call(bytes, at) {
      const { content } = await client.callTool({ name, arguments: { bytes, at } })
      check(content[0].text, bytes)
    },
    close: () => client.close(),
  }
}

/** @param {import('./project.mjs').Project} project @returns {Promise<Contender>} */
async function sessionOf(project) {
  const registry = await openRegistry(project)
  const session = await registry.createSession({ mode: 'text', policy: POLICY })
  return {
    async call(bytes, at) {
      const args = JSON.stringify({ bytes, at })
      check(await session.executeText({ id: `call_bench_${at}`, name: 'bench_read', args }), bytes)
    },
    close: () => registry.close(),
  }
}

/** A server on a free port, in a process of its own. @param {(port: string) => string[]} argumentsFor */
async function served(argumentsFor) {
  const port = await freePort()
  // The SDK's server warns of its own listeners where many large answers wait.
  const env = { ...process.env, NODE_NO_WARNINGS: '1' }
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc']
  const child = spawn(process.execPath, argumentsFor(String(port)), { env, stdio })
  const ended = once(child, 'exit')
  const close = () => (child.kill(), ended)
  /** A new client for each block: each request of one adds to what its connection remembers. */
  const connect = () => clientOf(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
  for (const until = performance.now() + READY_MS; ; await sleep(100)) {
    const client = await connect().catch(async problem => {
      if (performance.now() < until && child.exitCode === null) return null
      await close()
      throw problem
    })
    await client?.close()
    if (client !== null) return { connect, close }
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** A benchmark of wrong answers would be worth nothing. @param {string} text */
function check(text, bytes) {
  if (text.length < bytes || text.startsWith('{"ok":false'))
    throw new Error(`an unexpected answer: ${text.slice(0, 500)}`)
}

/** @param {McpResults} mcp */
export function mcpLines({ rounds, cpu, latency, missing }) {
  const range = ({ lower, upper }, digits) => `${lower.toFixed(digits)} to ${upper.toFixed(digits)}`
  const cpuLine = ({ title, us, aboveUs }) =>
    `  ${title.padEnd(6)} ${aboveUs.median.toFixed(0)} µs (middle half ${range(aboveUs, 0)}): ${us.toolgate.toFixed(0)} µs, the SDK's client ${us.direct.toFixed(0)} µs`
  const latencyLine = ({ title, atOnce, p50Ms, times }) =>
    `  ${title.padEnd(6)} ${atOnce} at once: ${times.median.toFixed(2)} of mcp-proxy's time (middle half ${range(times, 2)}): ${p50Ms.toolgate.toFixed(2)} ms, mcp-proxy ${p50Ms.proxy.toFixed(2)} ms`
  return [
    `CPU time that a call of a source takes beyond the SDK's client (median of ${rounds} rounds)`,
    ...cpu.map(cpuLine),
    ...(latency.length > 0 ? ['A source that is served over HTTP: p50 of a call', ...latency.map(latencyLine)] : []),
    ...missing.map(reason => `skipped: ${reason}`),
  ]
}
