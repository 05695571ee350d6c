// Receives events of the test tools' handlers.
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'

/** A server that emits `<event>` for each `POST /<event>` of a handler. */
export async function listen(t) {
  const events = new EventEmitter()
  const server = createServer((request, response) => {
    events.emit(request.url.slice(1))
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { events, url: `http://127.0.0.1:${server.address().port}` }
}
