// A real PgBouncer in front of a Postgres server: a pooler that gives each transaction to any of a few connections.
import { spawn } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { pgbouncerProgram, postgresOwner } from '../../scripts/postgres-programs.mjs'
import { freePort, isOpen, until } from './redis-server.mjs'
import { afterTest, temporaryFolder } from './tool-set.mjs'

const program = pgbouncerProgram()

/** Whether PgBouncer is installed; in CI it must be. */
export const hasPgbouncer = program !== undefined
if (!hasPgbouncer && process.env.CI) throw new Error('no pgbouncer was found, and CI skips no test; install one')
if (!hasPgbouncer) console.log('skipped: what needs pgbouncer, because none was found')

/**
 * Starts PgBouncer with two connections to the server.
 * @param {import('./postgres-server.mjs').PostgresServer} server @param {'transaction' | 'statement'} mode
 * @returns {Promise<string>} the URL of the store through it
 */
export async function startPgbouncer(server, mode) {
  const port = await freePort()
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${server.port} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    'default_pool_size = 2',
    'max_client_conn = 100',
  ]
  // PgBouncer does not run as root, and reads its settings as its user.
  const { uid, gid } = postgresOwner()
  const folder = temporaryFolder()
  const file = path.join(folder, 'pgbouncer.ini')
  writeFileSync(file, settings.join('\n'))
  if (uid !== undefined) for (const place of [folder, file]) chownSync(place, uid, gid)
  const child = spawn(program, ['-q', file], { uid, gid, stdio: 'ignore' })
  const ended = new Promise(resolve => child.once('close', resolve))
  afterTest(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await until(() => isOpen(port), 'pgbouncer')
  return server.urlAt(port)
}
