// Redis and Postgres for a benchmark: a server of its own on a free port, which has each write on the disk before it answers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'

import { initializePostgres, postgresOwner, postgresPrograms } from '../../scripts/postgres-programs.mjs'

/** @typedef {{ url: string, stop(): Promise<void> }} Server */

/** Whether `redis-server` is installed. */
export const hasRedis = (process.env.PATH ?? '')
  .split(path.delimiter)
  .some(folder => existsSync(path.join(folder, 'redis-server')))

/** Whether Postgres is installed. */
export const hasPostgres = postgresPrograms() !== undefined

/** @param {string} folder of its own @returns {Promise<Server>} */
export async function startRedis(folder) {
  const port = await freePort()
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...durable])
  const ended = once(child, 'close')
  await untilItSays(child.stdout, 'Ready to accept connections')
  return { url: `redis://127.0.0.1:${port}`, stop: () => stop(child, 'SIGTERM', ended) }
}

/** With the settings of a new installation, among them `fsync` and `synchronous_commit`. @param {string} folder of its own @returns {Promise<Server>} */
export async function startPostgres(folder) {
  const programs = /** @type {string} */ (postgresPrograms())
  const owner = postgresOwner()
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = path.join(folder, 'postgres')
  initializePostgres(programs, { data, owner, options: ['--auth=trust'] })
  const port = await freePort()
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
  const args = ['-D', data, '-p', String(port), ...settings]
  const child = spawn(path.join(programs, 'postgres'), args, { ...owner, cwd: folder })
  const ended = once(child, 'close')
  await untilItSays(child.stderr, 'ready to accept connections')
  // SIGINT: it ends without waiting for its clients.
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop: () => stop(child, 'SIGINT', ended) }
}

/** Reads on afterwards: a server whose output is not read stops at a full pipe. */
async function untilItSays(stream, words) {
  await new Promise((resolve, reject) => {
    let said = ''
    stream.on('data', text => {
      said += text
      if (said.includes(words)) resolve(undefined)
    })
    stream.once('close', () => reject(new Error(`the server ended: ${said.slice(-500)}`)))
  })
}

async function stop(child, signal, ended) {
  child.kill(signal)
  await ended
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  server.close()
  return port
}
