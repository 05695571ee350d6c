// Connections that would stay open: peers that send a body slowly, or keep their side of a refused upgrade open.
import { jest } from '@jest/globals'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'

import { refuseUpgrade, setBodyDeadline } from '../../js/http/index.js'

/** A server on a free port, and a client of it that sends `text` and never ends its side. */
async function connected(server, text) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ port: server.address().port, host: '127.0.0.1', allowHalfOpen: true })
  client.write(text)
  let received = ''
  client.setEncoding('utf8').on('data', chunk => (received += chunk))
  return { client, received: () => received }
}

async function ended(server, client) {
  client.destroy()
  const closed = once(server, 'close')
  server.close()
  await closed
}

test('a refused upgrade ends although its peer keeps its side open', async () => {
  let closed
  const server = createServer().on('upgrade', (_, socket) => {
    closed = once(socket, 'close')
    refuseUpgrade(socket, '400 Bad Request')
  })
  const head = 'GET /none HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
  const { client, received } = await connected(server, head)
  await once(client, 'end')
  await closed
  expect(received()).toBe('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  await ended(server, client)
})

const HEADS = [
  ['a length', 'content-length: 100\r\n\r\nabc'],
  ['chunks', 'transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ['a length that it may send', 'content-length: 100\r\nexpect: 100-continue\r\n\r\n'],
]

describe('a body of', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }))
  afterEach(() => jest.useRealTimers())

  test.each(HEADS)('%s that does not arrive ends with 408', async (_, rest) => {
    const server = createServer((request, response) => setBodyDeadline(request, response))
    const { client, received } = await connected(server, `POST / HTTP/1.1\r\nhost: localhost\r\n${rest}`)
    await once(server, 'request')
    jest.advanceTimersByTime(14_999)
    expect(received()).not.toContain('408')
    jest.advanceTimersByTime(1)
    await once(client, 'end')
    expect(received()).toMatch(/HTTP\/1\.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n$/)
    await ended(server, client)
  })

  test('a request that was answered before its body ends too, with nothing more', async () => {
    const server = createServer((request, response) => {
      setBodyDeadline(request, response)
      response.end('no')
    })
    const { client, received } = await connected(server, `POST / HTTP/1.1\r\nhost: localhost\r\n${HEADS[1][1]}`)
    await once(client, 'data')
    jest.advanceTimersByTime(15_000)
    await once(client, 'end')
    expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1)
    await ended(server, client)
  })

  test('a request that has arrived is not ended, however long its answer takes', async () => {
    const server = createServer((request, response) => {
      setBodyDeadline(request, response)
      request.resume().once('end', () => {
        jest.advanceTimersByTime(60_000)
        response.end('yes')
      })
    })
    const { client, received } = await connected(
      server,
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\n\r\nabc',
    )
    await once(client, 'data')
    expect(received()).toContain('200 OK')
    await ended(server, client)
  })
})
