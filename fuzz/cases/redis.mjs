// A Redis server that answers anything: each operation of the store ends in time, with an answer or a typed error.
import { createServer } from 'node:net'

import { payWith } from '../payment.mjs'

const TIMEOUT_MS = 100

/** @typedef {{ bytes: string, afterMs: number, end: boolean }} Reply */

/** @param {{ replies: Reply[] }} input the replies to the pieces that arrive, in order and
 *   again from the first, on each connection; bytes in base64 */
export async function runCase({ replies }) {
  const server = await serve(replies)
  const store = { redis: `redis://127.0.0.1:${server.port}/`, timeoutMs: TIMEOUT_MS }
  try {
    return await payWith(store)
  } finally {
    server.close()
  }
}

/** @param {Reply[]} replies */
async function serve(replies) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  const server = createServer(socket => {
    sockets.add(socket)
    let next = 0
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
