// Plays the messenger, on loopback: its webhook takes a message with a link, and its user (standard input) answers.
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createInterface } from 'node:readline/promises'

export async function startMessenger() {
  const terminal = createInterface({ input: process.stdin })
  const lines = terminal[Symbol.asyncIterator]()
  const server = createServer(async (request, response) => {
    const { text, link } = await json(request)
    response.writeHead(204).end()
    // Messengers look at a link before their user does.
    await fetch(link, { headers: { accept: 'text/html' } })
    console.log(`messenger: ${text}? (y/n)`)
    const { value } = await lines.next()
    const decision = value === 'y' ? 'confirm' : 'deny'
    const { ok, status } = await fetch(link, { method: 'POST', body: new URLSearchParams({ decision }) })
    if (!ok) console.log(`messenger: not decided (${status})`)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    terminal.close()
    server.close()
  }
  return { webhook: `http://127.0.0.1:${server.address().port}/`, close }
}
