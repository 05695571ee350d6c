'use strict'

// A program in a process group of its own, so that what it started ends with it: many servers are started by `npx` or a
// shell. None outlives this process, if it exits by itself.

const { spawn } = require('node:child_process')
const { createRequire } = require('node:module')

/** @typedef {import('node:child_process').ChildProcessWithoutNullStreams} Child */

const IS_WINDOWS = process.platform === 'win32'
/** How long a program may take to end after it was asked. */
const GRACE_MS = 1000

/** Groups that have not ended. @type {Set<ProcessGroup>} */
const running = new Set()

function killAll() {
  for (const group of running) group.signal('SIGKILL')
}

class ProcessGroup {
  #hasExited = false
  /** @type {NodeJS.Timeout | undefined} */
  #grace

  /**
   * @param {string} command
   * @param {string[]} args
   * @param {{ env: Record<string, string>, cwd?: string }} options
   */
  constructor(command, args, options) {
    this.child = started(command, args, options)
    this.child.once('exit', () => this.#ended())
    // Also a signal that can't be sent is an `error`, which would end this process.
    this.child.on('error', () => {
      if (this.child.pid === undefined) this.#ended()
    })
    if (running.size === 0) process.on('exit', killAll)
    running.add(this)
  }

  get pid() {
    return this.child.pid
  }

  /** Asks the program to end, and kills what is left of the group after a second. */
  end() {
    if (this.#hasExited || this.#grace !== undefined) return
    this.child.stdin.end()
    this.signal('SIGTERM')
    this.#grace = setTimeout(() => this.signal('SIGKILL'), GRACE_MS).unref()
  }

  /** @param {'SIGTERM' | 'SIGKILL'} name */
  signal(name) {
    const { pid } = this.child
    if (pid === undefined) return
    try {
      if (IS_WINDOWS) this.child.kill(name)
      else process.kill(-pid, name)
    } catch {
      // The group has ended.
    }
  }

  /** Whether the program keeps this process alive. @param {boolean} isHeld */
  hold(isHeld) {
    const { child } = this
    for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
      // Pipes are sockets.
      const held = /** @type {{ ref?(): void, unref?(): void }} */ (/** @type {unknown} */ (handle))
      if (isHeld) held.ref?.()
      else held.unref?.()
    }
  }

  #ended() {
    this.#hasExited = true
    clearTimeout(this.#grace)
    // What the program started and left behind. Its pipes may be open, and `close` would not come.
    if (!IS_WINDOWS) this.signal('SIGKILL')
    setTimeout(() => {
      this.child.stdout.destroy()
      this.child.stderr.destroy()
    }, GRACE_MS).unref()
    running.delete(this)
    if (running.size === 0) process.removeListener('exit', killAll)
  }
}

/** @param {string} command @param {string[]} args @param {{ env: Record<string, string>, cwd?: string }} options @returns {Child} */
function started(command, args, { env, cwd }) {
  const start = IS_WINDOWS ? windowsSpawn() : spawn
  return start(command, args, {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: !IS_WINDOWS,
    windowsHide: true,
  })
}

/** Windows starts `npx` and other scripts only by a shell; the SDK depends on a package that quotes for it. @returns {typeof spawn} */
function windowsSpawn() {
  return createRequire(require.resolve('@modelcontextprotocol/client'))('cross-spawn')
}

module.exports = { ProcessGroup }
