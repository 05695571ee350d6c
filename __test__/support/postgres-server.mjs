// A real Postgres server of a test's own: on a free port, with `fsync`, so that a restart loses nothing that was committed.
// It can be paused, killed, and started again on what it had written. It does not run as root.
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { initializePostgres, postgresOwner, postgresPrograms } from '../../scripts/postgres-programs.mjs'
import { freePort, until } from './redis-server.mjs'
import { afterTest, temporaryFolder } from './tool-set.mjs'

const programs = postgresPrograms()

/** Whether a server is installed; in CI it must be. */
export const hasPostgres = programs !== undefined
if (!hasPostgres && process.env.CI) throw new Error('no postgres was found, and CI skips no test; install postgresql')
if (!hasPostgres) console.log('skipped: what needs postgres, because none was found')

export class PostgresServer {
  /** @param {{ cert: string, key: string, password: string }} [tls] files of its certificate; it takes nothing but TLS then */
  static async start(tls) {
    const server = new PostgresServer()
    Object.assign(server, { tls, owner: postgresOwner(), port: await freePort() })
    server.folder = server.#owned(temporaryFolder())
    server.#initialize()
    afterTest(() => server.kill())
    await server.startAgain()
    return server
  }

  get url() {
    return this.urlAt(this.port)
  }

  /** The address through another port that leads here. */
  urlAt(port, host = '127.0.0.1') {
    const password = this.tls ? `:${this.tls.password}` : ''
    return `postgres://postgres${password}@${host}:${port}/postgres${this.tls ? '?sslmode=require' : ''}`
  }

  async startAgain() {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=on', 'max_connections=60']
    if (this.tls) settings.push('ssl=on', 'ssl_cert_file=server.pem', 'ssl_key_file=server.key')
    const args = ['-D', this.#data, '-p', String(this.port), ...settings.flatMap(setting => ['-c', setting])]
    this.child = spawn(path.join(programs, 'postgres'), args, { ...this.owner, stdio: 'ignore', cwd: this.folder })
    this.ended = new Promise(resolve => this.child.once('close', resolve))
    await until(() => this.#isReady(), 'postgres')
  }

  /** Runs SQL. Returns the first column of its rows. */
  query(sql) {
    const env = { ...process.env, PGPASSWORD: this.tls?.password }
    const { status, stdout, stderr } = spawnSync('psql', ['-XAtq', '-c', sql, this.url], { encoding: 'utf8', env })
    if (status !== 0) throw new Error(stderr)
    return stdout.split('\n').filter(Boolean)
  }

  pause() {
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP')
  }
  resume() {
    for (const pid of this.#processes()) signal(pid, 'SIGCONT')
  }

  async kill() {
    const processes = this.#processes()
    for (const pid of processes) signal(pid, 'SIGKILL')
    await this.ended
    // Those that the server had started: a new server does not start on the folder before they are gone.
    await until(() => processes.every(pid => !isThere(pid)), 'postgres')
  }

  get #data() {
    return path.join(this.folder, 'data')
  }

  #initialize() {
    const folder = { data: this.#data, owner: this.owner, options: this.#authentication() }
    initializePostgres(programs, folder)
    if (!this.tls) return
    for (const [from, name] of [
      [this.tls.cert, 'server.pem'],
      [this.tls.key, 'server.key'],
    ]) {
      copyFileSync(from, path.join(this.#data, name))
      this.#owned(path.join(this.#data, name))
    }
    // Nothing but TLS.
    const rules = path.join(this.#data, 'pg_hba.conf')
    writeFileSync(rules, readFileSync(rules, 'utf8').replaceAll(/^host /gm, 'hostssl '))
  }

  /** The options of `initdb`: anyone may connect, or the owner with a password. */
  #authentication() {
    if (!this.tls) return ['--auth=trust']
    const file = path.join(this.folder, 'password')
    writeFileSync(file, this.tls.password)
    return ['--auth=scram-sha-256', `--pwfile=${this.#owned(file)}`]
  }

  #isReady() {
    return spawnSync(path.join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(this.port)]).status === 0
  }

  #owned(place) {
    if (this.owner.uid !== undefined) chownSync(place, this.owner.uid, this.owner.gid)
    return place
  }

  /** The server and the processes that it started, each of which has a group of its own. */
  #processes() {
    const { pid } = this.child
    const parentOf = id => {
      try {
        return Number(readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1).split(' ')[1])
      } catch {
        return 0
      }
    }
    const children = readdirSync('/proc').filter(id => /^\d+$/.test(id) && parentOf(id) === pid)
    return [pid, ...children.map(Number)]
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It has ended by itself.
    if (error.code !== 'ESRCH') throw error
  }
}

function isThere(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
