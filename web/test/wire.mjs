// A cable between the browser and a server, which a test can cut.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/**
 * @param {{ after(fn: Function): void }} t
 * @param {string} url address of the server, as `ws://host:port/path`
 * @returns {Promise<{ url: string, cut(): void, mend(): void }>} `cut` ends what is connected and takes nothing more
 *   until `mend`
 */
export async function layWire(t, url) {
  const { hostname, port, pathname } = new URL(url)
  const sockets = new Set()
  let isCut = false
  const server = createServer(near => {
    if (isCut) return near.destroy()
    const far = connect(Number(port), hostname)
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
    cut: () => {
      isCut = true
      sever()
    },
    mend: () => {
      isCut = false
    },
  }
}
