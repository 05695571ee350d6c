// Starts the built app as a process of its own, on loopback, ended with its test.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'

export const WEB = fileURLToPath(new URL('..', import.meta.url))
export const STANDALONE_SERVER = `${WEB}.next/standalone/server.js`

/** The inspector's secret of each app that a test starts, and the header that programs send it in. */
export const INSPECTOR_SECRET = 'a secret of the tests'.replaceAll(' ', '-')
export const AS_INSPECTOR = { authorization: `Bearer ${INSPECTOR_SECRET}` }

const START_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 2_000
const OWN_VARIABLES = [
  'BRAVE_API_KEY',
  'GEMINI_API_KEY',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'TOOLGATE_ADDRESS_LIMITS',
  'TOOLGATE_ALLOW_ANONYMOUS',
  'TOOLGATE_ARTIFACT',
  'TOOLGATE_AUTHENTICATE',
  'TOOLGATE_CALENDAR_FOLDER',
  'TOOLGATE_COOKIE_SECRET',
  'TOOLGATE_INSPECTOR',
  'TOOLGATE_INSPECTOR_HOSTS',
  'TOOLGATE_METRICS_TOKEN',
  'TOOLGATE_OPENAI_BASE_URL',
  'TOOLGATE_OPENAI_MODEL',
  'TOOLGATE_PRINCIPAL_LIMITS',
  'TOOLGATE_SOURCES',
  'TOOLGATE_TRUSTED_PROXIES',
]

/**
 * @param {{ after(fn: Function): void }} t a test or suite context
 * @param {object} [options]
 * @param {Record<string, string>} [options.env] settings of the app; none are inherited
 * @param {string} [options.cwd] working directory; default: outside of the app
 * @param {(port: number) => string[]} [options.command] arguments of `node`; the standalone server by default
 * @returns {Promise<{ url: string, pid: number, log(): string, stop(): Promise<void>, ended: Promise<[number | null,
 *   string | null]> }>} once `/api/healthz` answers; `ended`: with the exit code or the signal
 */
export async function startWeb(t, { env = {}, cwd = tmpdir(), command = () => [STANDALONE_SERVER] } = {}) {
  const port = await freePort()
  const inherited = Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.includes(name))
  const child = spawn(process.execPath, command(port), {
    cwd,
    env: {
      ...Object.fromEntries(inherited),
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      HOSTNAME: '127.0.0.1',
      PORT: String(port),
      TOOLGATE_AUDIT: 'none',
      TOOLGATE_INSPECTOR_SECRET: INSPECTOR_SECRET,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (log += chunk))
  t.after(() => stop(child))
  const url = `http://127.0.0.1:${port}`
  await answering(url, child, () => log)
  return { url, pid: child.pid, log: () => log, stop: () => stop(child), ended }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function answering(url, child, log) {
  const limit = AbortSignal.timeout(START_LIMIT_MS)
  while (!limit.aborted) {
    assert.equal(child.exitCode, null, `the server ended: ${log()}`)
    const health = await fetch(`${url}/api/healthz`).catch(() => null)
    await health?.arrayBuffer()
    if (health) return
    await pause(100)
  }
  throw new Error(`the server did not start: ${log()}`)
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await ended
  clearTimeout(force)
}
