// Programs of packed projects: a process that listens, and the standalone server that `next build` leaves.
import { spawn } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'

const STARTED_WITHIN_MS = 300_000

/**
 * Starts a program; resolves once its address answers.
 *
 * @param {string | string[]} program a file, or a file and its arguments
 * @param {{ cwd: string, env: Record<string, string | undefined>, url: string }} options
 */
export async function startServer(program, { cwd, env, url }) {
  const server = spawn('node', [program].flat(), { cwd, env })
  let log = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', piece => (log += piece))
  const ended = new Promise(resolve => server.once('exit', resolve))
  const stop = (signal = 'SIGTERM') => {
    server.kill(signal)
    return ended
  }
  const limit = AbortSignal.timeout(STARTED_WITHIN_MS)
  while (!limit.aborted && server.exitCode === null) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return { url, stop, log: () => log }
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  await stop()
  throw new Error(`the server did not start: ${log}`)
}

/** The standalone output of a built project, with its static files, in another folder. */
export async function copyStandalone(project, folder) {
  const built = path.join(project, '.next')
  await cp(path.join(built, 'standalone'), folder, { recursive: true, verbatimSymlinks: true })
  await cp(path.join(built, 'static'), path.join(folder, '.next/static'), { recursive: true })
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
