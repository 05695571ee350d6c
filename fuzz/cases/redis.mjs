// A Redis server that answers anything: each operation of the store ends in time, with an answer or a typed error.
import { createServer } from 'node:net'

import { createRegistry } from '../../index.js'
import { artifactOfPayment } from '../payment.mjs'

const TIMEOUT_MS = 100
const MAX_OPERATION_MS = 1000
const artifact = await artifactOfPayment()

/** @typedef {{ bytes: string, afterMs: number, end: boolean }} Reply */

/** @param {{ replies: Reply[] }} input the replies to the pieces that arrive, in order and again from the first; bytes in base64 */
export async function runCase({ replies }) {
  const server = await serve(replies)
  const store = { redis: `redis://127.0.0.1:${server.port}/`, timeoutMs: TIMEOUT_MS }
  const registry = createRegistry({
    artifact,
    store,
    audit: 'none',
    onLog() {},
    handlers: { pay: () => ({ ok: true }) },
  })
  try {
    return await use(registry)
  } finally {
    await registry.close({ timeoutMs: TIMEOUT_MS })
    server.close()
  }
}

/** @param {any} registry */
async function use(registry) {
  const loaded = await inTime('load', () => registry.load())
  if (loaded.error !== undefined) return `load ${loaded.error}`
  const made = await inTime('createSession', () => registry.createSession({ sessionId: 'fuzz', mode: 'text' }))
  if (made.error !== undefined) return `createSession ${made.error}`
  const call = { id: 'call_fuzz_0001', name: 'pay', args: {} }
  const { value } = await inTime('execute', () => made.value.execute(call))
  if (typeof value?.ok !== 'boolean') throw new Error('a call has no answer')
  return value.ok ? 'answered' : value.error.type
}

/** @param {string} name @param {() => Promise<any>} operation */
async function inTime(name, operation) {
  const start = performance.now()
  const result = await operation().then(
    value => ({ value, error: undefined }),
    error => ({ value: undefined, error: typedError(error) }),
  )
  const ms = Math.round(performance.now() - start)
  if (ms > MAX_OPERATION_MS) throw new Error(`${name} took ${ms} ms`)
  return result
}

/** The error's code or type; an error without one is a fault. @param {any} error */
function typedError(error) {
  if (typeof error.code === 'string' && error.name === 'RegistryLoadError') return error.code
  if (typeof error.type === 'string') return error.type
  throw error
}

/** @param {Reply[]} replies */
async function serve(replies) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  let next = 0
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', () => {
      const { bytes, afterMs, end } = replies[next % replies.length]
      next += 1
      const send = () => socket.write(Buffer.from(bytes, 'base64'), () => end && socket.destroy())
      if (afterMs === 0) send()
      else setTimeout(send, afterMs)
    })
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { port, close }
}
