// A process with a disk of its own that can be filled, made read-only and put right: a small file system in memory that
// only this process sees, where the system lets us mount one, or a limit on what it may write to files.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { afterTest, toolSet } from './tool-set.mjs'

const WORKER = fileURLToPath(new URL('./disk-worker.mjs', import.meta.url))
const WHAT = { what: { type: 'string' }, hold: { type: 'boolean' } }
const MOUNT = 'mount -t tmpfs -o size=1m,mode=0700 none "$0" && exec "$@"'
/** Root's own namespace, or one in which an ordinary user is root. */
const unshare = [['--mount'], ['--user', '--map-root-user', '--mount']].find(flags =>
  runs('unshare', [...flags, 'sh', '-c', MOUNT, '/tmp', 'true']),
)

/** Why a kind of disk is not there; null if it is. */
export const missing = {
  tmpfs: unshare ? null : 'this system lets us mount no file system of our own',
  limit: process.platform === 'linux' && runs('prlimit', ['--version']) ? null : 'there is no prlimit',
}
for (const [kind, why] of Object.entries(missing))
  if (why) console.log(`skipped: a full disk by ${kind}, because ${why}`)

function runs(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/** By kind: how the process is started on its disk, and how that is filled and emptied. */
const KINDS = {
  tmpfs: {
    command: (disk, program) => ['unshare', ...unshare, 'sh', '-c', MOUNT, disk, ...program],
    fill: worker => worker.order('fill'),
    free: worker => worker.order('free'),
  },
  limit: {
    command: (_disk, program) => program,
    fill: worker => limitFiles(worker.child.pid, '1:unlimited'),
    free: worker => limitFiles(worker.child.pid, 'unlimited:unlimited'),
  },
}

function limitFiles(pid, sizes) {
  if (!runs('prlimit', ['--pid', String(pid), `--fsize=${sizes}`])) throw new Error('prlimit failed')
}

export class SmallDisk {
  #waiting = new Map()
  #next = 0

  /** @param {'tmpfs' | 'limit'} kind */
  static async start(kind) {
    const { artifact, folder } = await toolSet({
      pay: { kind: 'write', properties: WHAT, required: ['what'] },
      look: { kind: 'read', properties: WHAT, required: ['what'] },
    })
    const disk = path.join(folder, 'disk')
    mkdirSync(disk)
    const orders = { artifact, file: path.join(disk, 'sessions.sqlite') }
    return new SmallDisk(kind, KINDS[kind].command(disk, [process.execPath, WORKER, JSON.stringify(orders)]))
  }

  constructor(kind, [program, ...args]) {
    this.kind = KINDS[kind]
    this.child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.stderr = ''
    this.child.stderr.setEncoding('utf8').on('data', text => {
      this.stderr += text
    })
    this.child.stdin.on('error', () => {})
    createInterface({ input: this.child.stdout }).on('line', line => this.#answered(JSON.parse(line)))
    const gone = new Promise(resolve => this.child.once('close', resolve))
    void gone.then(() =>
      this.#waiting.forEach(({ reject }) => reject(new Error(`the process is gone: ${this.stderr}`))),
    )
    afterTest(async () => {
      this.child.kill('SIGKILL')
      await gone
    })
  }

  /** Gives the process an order. @returns {Promise<any>} what came of it */
  order(order, rest = {}) {
    const number = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject })
      this.child.stdin.write(`${JSON.stringify({ order, number, ...rest })}\n`)
    })
  }

  call(name, id, args) {
    return this.order('call', { name, id, args })
  }
  fill() {
    return this.kind.fill(this)
  }
  free() {
    return this.kind.free(this)
  }

  #answered({ number, value, failed }) {
    const { resolve, reject } = this.#waiting.get(number)
    this.#waiting.delete(number)
    if (failed === undefined) resolve(value)
    else reject(new Error(failed))
  }
}
