// The main job's processes: the simulator if no key is set, the voice server and the web app, started one after
// another and stopped together.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'

import { startSimulator } from 'toolgate-simulator'

import { demoTools } from './demo-tools.mjs'
import { root } from './run-step.mjs'
import { auditOf, inspectedOf, storeOf } from './services-settings.mjs'

const HOST = '127.0.0.1'
/** Timeouts of a process: until it answers, and until it ends. */
const READY_MS = 60_000
const END_MS = 8_000

/**
 * @param {{ voicePort: number, webPort: number, simulatorPort: number, audit?: string, store?: string, onLine?: (name:
 *   string, line: string) => void }} options
 * @returns {Promise<{ voiceUrl: string, voiceHealth: string, webUrl: string, simulatorUrl: string | null, audit: string,
 *   failed: Promise<never>, stop: () => Promise<void> }>} also `inspectorUrl`, with the secret that the inspector asks for
 */
export async function startServices({
  voicePort,
  webPort,
  simulatorPort,
  audit = auditOf(process.env),
  store = storeOf(process.env),
  onLine = () => {},
}) {
  const { GEMINI_API_KEY, OPENAI_API_KEY } = process.env
  const simulator = GEMINI_API_KEY && OPENAI_API_KEY ? null : await startSimulator({ port: simulatorPort, host: HOST })
  // A new secret for each start, unless the environment contains a permanent one.
  const resumeSecret = process.env.TOOLGATE_RESUME_SECRET || randomBytes(32).toString('base64url')
  const inspected = process.env.TOOLGATE_INSPECTOR === 'off' ? {} : inspectedOf(process.env)
  const inspectorSecret = process.env.TOOLGATE_INSPECTOR_SECRET || randomBytes(16).toString('base64url')
  const running = []
  const stop = async () => {
    await Promise.all(running.map(service => service.stop()))
    await simulator?.close()
  }
  try {
    const calendar = await calendarFolder()
    const tools = await demoTools(process.env)
    const webUrl = `http://${HOST}:${webPort}`
    const voiceUrl = `ws://${HOST}:${voicePort}/voice`
    const voiceHealth = `http://${HOST}:${voicePort}/healthz`
    running.push(
      startService(
        'voice',
        [path.join(root, 'voice-server', 'main.js')],
        {
          PORT: String(voicePort),
          HOST,
          TOOLGATE_AUDIT: audit,
          // With its inspector the web app does not follow a rotation of the file that both share.
          TOOLGATE_AUDIT_ROTATE: process.env.TOOLGATE_AUDIT_ROTATE || 'off',
          TOOLGATE_STORE: store,
          TOOLGATE_RESUME_SECRET: resumeSecret,
          TOOLGATE_CALENDAR_FOLDER: calendar,
          ...tools,
          ...inspected,
          ...(GEMINI_API_KEY ? {} : { TOOLGATE_GEMINI_BASE_URL: simulator.url }),
        },
        onLine,
      ),
    )
    running.push(
      startService(
        'web',
        [path.join(root, 'web', '.next', 'standalone', 'server.js')],
        {
          PORT: String(webPort),
          HOSTNAME: HOST,
          TOOLGATE_AUDIT: audit,
          TOOLGATE_STORE: store,
          NODE_ENV: 'production',
          TOOLGATE_CALENDAR_FOLDER: calendar,
          ...tools,
          TOOLGATE_VOICE_URL: process.env.TOOLGATE_VOICE_URL || voiceUrl,
          // Off by default for deployments; on here for developers.
          TOOLGATE_INSPECTOR: process.env.TOOLGATE_INSPECTOR || 'on',
          TOOLGATE_INSPECTOR_SECRET: inspectorSecret,
          ...inspected,
          ...(OPENAI_API_KEY ? {} : { TOOLGATE_OPENAI_BASE_URL: `${simulator.url}/v1` }),
        },
        onLine,
      ),
    )
    const failed = Promise.race(running.map(service => service.failed))
    // Avoids an unhandled rejection before the caller awaits it.
    failed.catch(() => {})
    await Promise.race([failed, Promise.all([answers(voiceHealth), answers(`${webUrl}/api/healthz`)])])
    const inspectorUrl = `${webUrl}/inspector/open?secret=${encodeURIComponent(inspectorSecret)}`
    const simulatorUrl = simulator?.url ?? null
    return { voiceUrl, voiceHealth, webUrl, inspectorUrl, simulatorUrl, audit, failed, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A writable copy of the sample calendars for both servers, unless the environment sets another folder. */
async function calendarFolder() {
  if (process.env.TOOLGATE_CALENDAR_FOLDER) return path.resolve(process.env.TOOLGATE_CALENDAR_FOLDER)
  const folder = path.join(root, '.toolgate', 'calendar')
  await cp(path.join(root, 'tools', '_services', 'data', 'calendar'), folder, { recursive: true, force: false })
  return folder
}

function startService(name, args, env, onLine) {
  // A separate process group: Ctrl-C reaches only this process, which stops each service once, in order.
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', line => onLine(name, line))
  let stopping = false
  const ended = new Promise(resolve => {
    child.on('exit', (code, signal) => resolve({ code, signal }))
    child.on('error', error => resolve({ code: error.message, signal: null }))
  })
  const failed = ended.then(({ code, signal }) => {
    if (stopping) return new Promise(() => {})
    throw new Error(`the ${name} service ended by itself (${signal ?? `exit code ${code}`})`)
  })
  failed.catch(() => {})
  const stop = async () => {
    stopping = true
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
    await ended
    clearTimeout(timer)
  }
  return { failed, stop }
}

/** Resolves when a URL answers with success. */
async function answers(url) {
  const until = Date.now() + READY_MS
  for (;;) {
    try {
      const response = await fetch(url)
      await response.arrayBuffer()
      if (response.ok) return
    } catch {
      // Not listening yet.
    }
    if (Date.now() > until) throw new Error(`${url} did not answer within ${READY_MS / 1000} s`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
