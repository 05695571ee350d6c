// A real Redis server of a test's own: on a free port, writing every commit to disk before it answers, so that a restart
// loses nothing. It can be paused, killed, and started again on what it had written.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { Transform } from 'node:stream'
import { connect as connectTls } from 'node:tls'

import { afterTest, temporaryFolder } from './tool-set.mjs'

const READY_MS = 60_000

/** Whether a server is installed; in CI it must be. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis && process.env.CI) throw new Error('no redis-server was found, and CI skips no test; install one')
if (!hasRedis) console.log('skipped: what needs redis-server, because none was found')

export class RedisServer {
  /**
   * @param {{ cert: string, key: string, password: string }} [tls] files of its certificate; it takes nothing but TLS then
   * @param {string[]} [further] settings
   */
  static async start(tls, further = []) {
    const server = new RedisServer()
    Object.assign(server, { tls, further })
    server.folder = temporaryFolder()
    server.port = await freePort()
    afterTest(() => server.kill())
    await server.startAgain()
    return server
  }

  get url() {
    const { port, tls } = this
    return tls ? `rediss://:${tls.password}@127.0.0.1:${port}/` : `redis://127.0.0.1:${port}/`
  }

  async startAgain() {
    const settings = [
      ...this.#listening(),
      '--bind',
      '127.0.0.1',
      '--dir',
      this.folder,
      '--save',
      '',
      '--appendonly',
      'yes',
      '--appendfsync',
      'always',
      '--repl-diskless-sync-delay',
      '0',
      ...this.further,
    ]
    this.child = spawn('redis-server', settings, { stdio: 'ignore' })
    this.ended = new Promise(resolve => this.child.once('close', resolve))
    await until(() => answers(this.port, this.tls))
  }

  #listening() {
    const { port, tls } = this
    if (!tls) return ['--port', String(port)]
    const files = ['--tls-cert-file', tls.cert, '--tls-key-file', tls.key, '--tls-auth-clients', 'no']
    return ['--port', '0', '--tls-port', String(port), ...files, '--requirepass', tls.password]
  }

  /** Starts again with no data, as a server without persistence does. */
  async startEmpty() {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
    mkdirSync(this.folder)
    await this.startAgain()
  }

  /** Sends a command without spaces in its arguments. Resolves with the first piece of its reply. */
  send(command) {
    return new Promise((resolve, reject) => {
      const socket = createConnection(this.port, '127.0.0.1', () => socket.write(`${command}\r\n`))
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('redis-server closed the connection')))
      socket.once('data', reply => {
        socket.destroy()
        resolve(reply.toString())
      })
    })
  }

  /** Becomes a replica of another server. Resolves when it has the data of that server. */
  async replicate(primary) {
    await this.send(`REPLICAOF 127.0.0.1 ${primary.port}`)
    await until(async () => (await this.send('INFO replication')).includes('master_link_status:up'))
    await until(async () => (await primary.send('INFO replication')).includes(`port=${this.port},state=online`))
    await this.catchUp(primary)
  }

  /** Resolves when this replica has what its primary has now. */
  async catchUp(primary) {
    const offset = await primary.replicationOffset()
    await until(async () => (await this.replicationOffset()) >= offset)
  }

  /** The position in the stream of writes, in bytes. */
  async replicationOffset() {
    return Number(/master_repl_offset:(\d+)/.exec(await this.send('INFO replication'))?.[1])
  }

  async promote() {
    await this.send('REPLICAOF NO ONE')
    await until(async () => (await this.send('INFO replication')).includes('role:master'))
  }

  pause() {
    this.child.kill('SIGSTOP')
  }
  resume() {
    this.child.kill('SIGCONT')
  }

  async kill() {
    this.child.kill('SIGKILL')
    await this.ended
  }
}

/** A way to a port that can be cut: whoever is connected is disconnected, and cannot connect until it is restored. */
export class Cable {
  /** The number of connections. */
  comers = 0
  /** The number of requests that were followed by an answer. */
  roundTrips = 0
  #to
  #sockets = new Set()
  #cut = false
  #silent = false
  #left = Infinity

  static async to(port) {
    const cable = new Cable()
    cable.#to = port
    cable.server = createServer(socket => cable.#join(socket))
    await new Promise(resolve => cable.server.listen(0, '127.0.0.1', resolve))
    afterTest(() => {
      cable.cut()
      cable.server.close()
    })
    return cable
  }

  get port() {
    return this.server.address().port
  }

  get url() {
    return `redis://127.0.0.1:${this.port}/`
  }

  cut() {
    this.#cut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Forwards this many more pieces of what is sent, in either direction; the next one is lost, and the cable is cut. */
  cutAfter(pieces) {
    this.#left = pieces
  }

  /** Forwards nothing from now on and ends no connection, as a network that drops every packet. */
  silence() {
    this.#silent = true
    for (const socket of this.#sockets) socket.unpipe().resume()
  }

  mend() {
    this.#left = Infinity
    this.#cut = false
    // What was swallowed does not come again.
    if (this.#silent) for (const socket of this.#sockets) socket.destroy()
    this.#silent = false
  }

  /** Ends the connections; later ones lead to another port. */
  moveTo(port) {
    this.cut()
    this.#to = port
    this.mend()
  }

  /** Later connections lead to another port; those that are there stay. */
  leadTo(port) {
    this.#to = port
  }

  #join(near) {
    this.comers += 1
    near.on('error', () => {})
    if (this.#cut) return near.destroy()
    if (this.#silent) {
      this.#sockets.add(near)
      near.on('close', () => this.#sockets.delete(near)).resume()
      return
    }
    const far = createConnection(this.#to, '127.0.0.1')
    let isWaiting = false
    near.on('data', () => {
      if (!isWaiting) this.roundTrips += 1
      isWaiting = true
    })
    far.on('data', () => (isWaiting = false))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      one.pipe(this.#counted()).pipe(other)
    }
  }

  /** @returns {import('node:stream').Transform} */
  #counted() {
    return new Transform({
      transform: (piece, _encoding, done) => {
        this.#left -= 1
        if (this.#left >= 0) return done(null, piece)
        this.cut()
        done()
      },
    })
  }
}

/** Resolves when the condition holds. */
export async function until(holds, program = 'redis-server') {
  const end = Date.now() + READY_MS
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`${program} did not answer as expected`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** Whether a server answers a PING, if only with a demand for its password. */
function answers(port, tls) {
  return new Promise(resolve => {
    const ask = () => socket.write('PING\r\n')
    const socket = tls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, ask)
      : createConnection(port, '127.0.0.1', ask)
    socket.setTimeout(500, () => socket.destroy())
    socket.on('data', data => {
      resolve(/^(\+PONG|-NOAUTH)/.test(data.toString()))
      socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(false))
  })
}

/** Whether a server takes connections on a port. */
export function isOpen(port) {
  return new Promise(resolve => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

/** A port that no server uses now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
