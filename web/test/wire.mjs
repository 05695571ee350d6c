// A cable between the browser and a server, which a test can cut.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/**
 * @param {{ after(fn: Function): void }} t
 * @param {string} url address of the server, as `ws://host:port/path`
 * @returns {Promise<{ url: string, hold(): void, cut(): void, mend(): void }>} `hold` loses what the browser sends, unnoticed; `cut` ends
 *   what is connected and takes nothing more until `mend`
 */
export async function layWire(t, url) {
  const { hostname, port, pathname } = new URL(url)
  const sockets = new Set()
  const held = new Set()
  let isCut = false
  const server = createServer(near => {
    if (isCut) return near.destroy()
    const far = connect(Number(port), hostname)
    const lose = () => near.unpipe(far).resume()
    held.add(lose)
    near.on('close', () => held.delete(lose))
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => other.destroy())
      socket.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sever = () => sockets.forEach(socket => socket.destroy())
  t.after(() => {
    server.close()
    sever()
  })
  return {
    url: `ws://127.0.0.1:${server.address().port}${pathname}`,
    hold: () => held.forEach(lose => lose()),
    cut: () => {
      isCut = true
      sever()
    },
    mend: () => {
      isCut = false
    },
  }
}
