// A process whose disk is in trouble: follows orders, a JSON line an order, and answers each with a line.
//
// Its argument: { artifact, file }. The handler of `pay` waits for the order `letGo` where its arguments say `held`.
import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'

import { createRegistry } from '../../index.js'

const { artifact, file } = JSON.parse(process.argv[2])
const disk = path.dirname(file)
const filler = path.join(disk, 'filler')
const runs = {}
const held = new Map()

const registry = createRegistry({
  artifact,
  store: { file, leaseMs: 1000 },
  handlers: {
    async pay({ args: { what, hold } }) {
      runs[what] = (runs[what] ?? 0) + 1
      if (hold) await new Promise(resolve => held.set(what, resolve))
      return { ok: true, data: { paid: what } }
    },
    look: ({ args: { what } }) => ({ ok: true, data: { seen: what } }),
  },
})
await registry.load()
let session

const ORDERS = {
  async attach({ sessionId }) {
    try {
      session = await registry.createSession({
        sessionId,
        mode: 'text',
        policy: { totalCalls: 1_000_000, retrievalCalls: 1_000_000 },
      })
      return { turn: session.turn }
    } catch ({ type, message }) {
      return { type, message }
    }
  },
  call: async ({ id, name, args }) => {
    const { ok, data, error, meta } = await session.execute({ id, name, args })
    const { type, retryable, partialSideEffects, details } = error ?? {}
    return {
      ok,
      data,
      type,
      retryable,
      partialSideEffects,
      outcome: details?.outcome,
      replayed: meta._idempotent_cache_hit,
      warnings: meta.warnings,
    }
  },
  isHeld: ({ what }) => held.has(what),
  letGo: ({ what }) => held.get(what)(),
  runs: () => runs,
  health: () => registry.health(),
  /** Takes the last page of the disk. */
  fill() {
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(4096))
    } catch ({ code }) {
      return code
    }
  },
  free: () => rmSync(filler),
  remount: ({ how }) => void execFileSync('mount', ['-o', `remount,${how}`, disk]),
  /** Whether the disk takes anything at all. */
  writes() {
    try {
      writeFileSync(path.join(disk, 'probe'), 'x'.repeat(4096))
      return true
    } catch ({ code }) {
      return code
    }
  },
  close: () => registry.close({ timeoutMs: 1000 }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { order, number, ...rest } = JSON.parse(line)
  // Not one after another: a call that waits must not hold back what lets it go.
  void Promise.resolve(ORDERS[order](rest)).then(
    value => process.stdout.write(`${JSON.stringify({ number, value })}\n`),
    ({ message }) => process.stdout.write(`${JSON.stringify({ number, failed: message })}\n`),
  )
}
