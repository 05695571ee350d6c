// The voice server as a process of its own, ended with its test.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../voice-server/main.js', import.meta.url))
const START_LIMIT_MS = 120_000

/**
 * @param {{ after(fn: Function): void }} t a test or suite context
 * @param {Record<string, string>} env beside a simulator's address: its tools, its store
 * @returns {Promise<{ url: string, pid: number }>} once it listens
 */
export async function startVoice(t, env) {
  const { GEMINI_API_KEY: _key, ...inherited } = process.env
  const child = spawn(process.execPath, [MAIN], {
    env: { ...inherited, PORT: '0', HOST: '127.0.0.1', TOOLGATE_AUDIT: 'none', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return { url: await listening(child), pid: child.pid }
}

/** Its address, as the log says it. */
async function listening(child) {
  const told = []
  const limit = setTimeout(() => child.stderr.destroy(), START_LIMIT_MS)
  const lines = createInterface({ input: child.stderr })
  for await (const line of lines) {
    told.push(line)
    const { message, url } = JSON.parse(line)
    if (message !== 'listening') continue
    clearTimeout(limit)
    child.stderr.resume()
    return url
  }
  return assert.fail(`the voice server did not start: ${told.join('\n')}`)
}
