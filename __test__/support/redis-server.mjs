// A real Redis server of a test's own: on a free port, writing every commit to disk before it answers, so that a restart
// loses nothing. It can be paused, killed, and started again on what it had written.
import { spawn, spawnSync } from 'node:child_process'
import { createConnection, createServer } from 'node:net'

import { afterTest, temporaryFolder } from './tool-set.mjs'

const READY_MS = 20_000

/** Whether a server is installed; in CI it must be. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis && process.env.CI) throw new Error('no redis-server was found, and CI skips no test; install one')
if (!hasRedis) console.log('skipped: what needs redis-server, because none was found')

export class RedisServer {
  static async start() {
    const server = new RedisServer()
    server.folder = temporaryFolder()
    server.port = await freePort()
    afterTest(() => server.kill())
    await server.startAgain()
    return server
  }

  get url() { return `redis://127.0.0.1:${this.port}/` }

  async startAgain() {
    const settings = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always']
    this.child = spawn('redis-server', settings, { stdio: 'ignore' })
    this.ended = new Promise(resolve => this.child.once('close', resolve))
    const until = Date.now() + READY_MS
    while (!(await answers(this.port))) {
      if (Date.now() > until) throw new Error('redis-server did not answer')
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  pause() { this.child.kill('SIGSTOP') }
  resume() { this.child.kill('SIGCONT') }

  async kill() {
    this.child.kill('SIGKILL')
    await this.ended
  }
}

/** A way to a port that can be cut: whoever is connected is disconnected, and finds nobody until it is mended. */
export class Cable {
  #to
  #sockets = new Set()
  #cut = false

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

  get url() { return `redis://127.0.0.1:${this.server.address().port}/` }

  cut() {
    this.#cut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  mend() { this.#cut = false }

  #join(near) {
    if (this.#cut) return near.destroy()
    const far = createConnection(this.#to, '127.0.0.1')
    for (const [one, other] of [[near, far], [far, near]]) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
}

/** Whether a server answers a PING. */
function answers(port) {
  return new Promise(resolve => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.setTimeout(500, () => socket.destroy())
    socket.on('data', data => {
      resolve(data.toString().startsWith('+PONG'))
      socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(false))
  })
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
