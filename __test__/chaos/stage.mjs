// What the chaos suite works with: a tool set, processes that can be killed at any moment, and the log of what they did.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { seeded as choicesOf } from '../../fuzz/random.cjs'
import { afterTest, toolSet } from '../support/tool-set.mjs'

const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url))
const OVERDUE_MS = 240_000

/** Rounds of a full run and of the bounded one that `npm run test:all` makes. */
export const rounds = (full, bounded) => Math.ceil(process.env.TOOLGATE_CHAOS === 'full' ? full : bounded)

/** The choices of a test: those of `TOOLGATE_CHAOS_SEED`, which is printed. */
export function seeded(test) {
  const seed = Number(process.env.TOOLGATE_CHAOS_SEED ?? 1)
  console.log(`${test}: TOOLGATE_CHAOS_SEED=${seed}`)
  return choicesOf(seed)
}

/** The ids of the calls of one round. */
export const callIds = (round, count) =>
  Array.from({ length: count }, (_, n) => `call_${round}_${String(n).padStart(4, '0')}`)

export class Stage {
  #children = new Set()

  constructor({ folder, artifact }) {
    Object.assign(this, { folder, artifact, effects: path.join(folder, 'effects.log') })
    afterTest(() => this.#end())
  }

  static async open() {
    return new Stage(
      await toolSet({ pay: { kind: 'write', properties: { id: { type: 'string' } }, required: ['id'] } }),
    )
  }

  file(name) {
    return path.join(this.folder, name)
  }

  /** How often each id took effect. */
  paid() {
    const times = new Map()
    if (!existsSync(this.effects)) return times
    for (const id of readFileSync(this.effects, 'utf8').split('\n').filter(Boolean))
      times.set(id, (times.get(id) ?? 0) + 1)
    return times
  }

  /** Starts a process, with `env` beside its environment. `answers` grows with its output; `ended` resolves when it is gone. */
  start(orders, env = {}) {
    const child = spawn(
      process.execPath,
      [WORKER, JSON.stringify({ artifact: this.artifact, effects: this.effects, ...orders })],
      { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } },
    )
    this.#children.add(child)
    const worker = { child, answers: [], stderr: '' }
    let ready
    worker.ready = new Promise(resolve => {
      ready = resolve
    })
    createInterface({ input: child.stdout }).on('line', line => {
      const told = JSON.parse(line)
      if (told.ready) ready()
      else worker.answers.push(told)
    })
    child.stderr.setEncoding('utf8').on('data', text => {
      worker.stderr += text
    })
    child.stdin.on('error', () => {})
    const overdue = setTimeout(() => child.kill('SIGKILL'), OVERDUE_MS)
    worker.ended = new Promise(resolve =>
      child.on('close', (code, signal) => {
        clearTimeout(overdue)
        this.#children.delete(child)
        ready()
        resolve({ code, signal })
      }),
    )
    return worker
  }

  async #end() {
    const children = [...this.#children]
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map(child => new Promise(resolve => child.once('close', resolve))))
  }
}
