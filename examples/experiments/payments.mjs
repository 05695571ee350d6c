// A payment service on loopback, and its client. It can take a refund, and kill the process that asked before it answers.
import { createServer } from 'node:http'

export async function startPayments() {
  const service = { ledger: [], killNext: false }
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const made = service.ledger.find(({ key }) => key === decodeURIComponent(request.url.slice(1)))
      return response.end(JSON.stringify(made ? { refunded: made.amount } : null))
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const { order, amount, key, pid } = JSON.parse(body)
    // As payment services do: a key that was seen before is the same refund.
    const isKnown = key !== undefined && service.ledger.some(made => made.key === key)
    if (!isKnown) service.ledger.push({ order, amount, key })
    if (service.killNext) {
      service.killNext = false
      process.kill(pid, 'SIGKILL')
      return request.socket.destroy()
    }
    response.end(JSON.stringify({ refunded: amount }))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(service, { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() })
}

/** @param {{ order: string, amount: number }} what @param {string} [key] idempotency key */
export async function refund({ order, amount }, key) {
  const body = JSON.stringify({ order, amount, key, pid: process.pid })
  return (await fetch(process.env.PAYMENTS, { method: 'POST', body })).json()
}

export async function findRefund(key) {
  return (await fetch(`${process.env.PAYMENTS}/${encodeURIComponent(key)}`)).json()
}
