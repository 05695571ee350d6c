// The application: what needs a confirmation is posted to a messenger, and answered there by a link.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { createRegistry } from 'toolgate'
import { createConfirmationRoute } from 'toolgate/web'

import { startMessenger } from './messenger.mjs'

const messenger = await startMessenger()
let answer
const answered = new Promise(resolve => (answer = resolve))

const registry = await createRegistry({ audit: 'none', onConfirmation }).load()
const route = createConfirmationRoute(registry)
const server = createServer(async (request, response) => {
  const given = await route(toRequest(request))
  response.writeHead(given.status, Object.fromEntries(given.headers)).end(await given.text())
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))

const session = await registry.createSession({ mode: 'text', principal: 'ada' })
await session.beginTurn('message-1')
const call = { id: 'call_8f3a9c2e1', name: 'cancel_order', args: { number: 'A-17' } }
const { error } = await session.execute(call)
console.log(`model: ${error.type}`)
if ((await answered) === 'denied') {
  console.log('model: the user has denied it')
} else {
  // A model that makes its call again gets the result of the confirmed one.
  const { data } = await session.execute(call)
  console.log(`model: ${JSON.stringify(data)}`)
}

server.close()
messenger.close()
await session.end()
await registry.close()

async function onConfirmation({ type, id, sessionId, preview }) {
  if (type !== 'requested') return answer(type)
  const link = await registry.confirmationLink(id, {
    sessionId,
    baseUrl: `http://127.0.0.1:${server.address().port}/confirm`,
  })
  await fetch(messenger.webhook, { method: 'POST', body: JSON.stringify({ text: preview, link }) })
}

function toRequest(request) {
  const { method, headers, url } = request
  const body = method === 'POST' ? Readable.toWeb(request) : undefined
  return new Request(`http://${headers.host}${url}`, { method, headers, body, duplex: 'half' })
}
