// A small Google Calendar on loopback: keeps events, refuses an id that it has, and fails on request.
import { once } from 'node:events'
import { createServer } from 'node:http'

import { afterTest } from '../../support/tool-set.mjs'

/**
 * @returns {Promise<{ baseUrl: string, events: Map<string, object>, requests: object[], next: (answer: object) => void }>} `next`
 *   says what becomes of the next request that it matches: `{ on: 'POST /freeBusy', status, body, headers }`, or `hang`, `cut`
 *   (both after doing it, with `done: true`)
 */
export async function startGoogle() {
  const google = { events: new Map(), requests: [], planned: [], next: answer => google.planned.push(answer) }
  const server = createServer((request, response) => void serve(google, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterTest(
    () =>
      new Promise(resolve => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return Object.assign(google, { baseUrl: `http://127.0.0.1:${server.address().port}/calendar/v3` })
}

async function serve(google, request, response) {
  let text = ''
  for await (const chunk of request) text += chunk
  const url = new URL(request.url, 'http://localhost')
  const path = decodeURIComponent(url.pathname.replace('/calendar/v3', ''))
  const body = text ? JSON.parse(text) : undefined
  const query = Object.fromEntries(url.searchParams)
  google.requests.push({ method: request.method, path, query, body, authorization: request.headers.authorization })
  const at = google.planned.findIndex(({ on }) => `${request.method} ${path}`.startsWith(on))
  const [plan] = at < 0 ? [] : google.planned.splice(at, 1)
  const done = !plan || plan.done ? answerTo(google, request.method, path, query, body) : null
  if (plan?.hang) return
  if (plan?.cut) return void request.socket.destroy()
  const { status = 200, headers = {}, body: answer } = plan ?? done
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
}

function answerTo(google, method, path, query, body) {
  if (path === '/freeBusy')
    return { body: { calendars: Object.fromEntries(body.items.map(({ id }) => [id, { busy: busyIn(google, body) }])) } }
  const id = /\/events\/(.+)$/.exec(path)?.[1]
  if (id) return google.events.has(id) ? { body: google.events.get(id) } : failed(404, 'notFound')
  if (method === 'POST') return insert(google, body)
  const found = [...google.events.values()].filter(event => event.status !== 'cancelled' && touches(event, query))
  return { body: { timeZone: 'Europe/Berlin', items: found } }
}

function insert(google, body) {
  if (!/^[0-9a-v]{5,1024}$/.test(body.id)) return failed(400, 'invalid')
  if (google.events.has(body.id)) return failed(409, 'duplicate')
  const meet = body.conferenceData && { hangoutLink: 'https://meet.example.com/abc' }
  google.events.set(body.id, { status: 'confirmed', ...body, ...meet })
  return { body: google.events.get(body.id) }
}

const touches = ({ start, end }, { timeMin, timeMax }) =>
  Date.parse(start.dateTime ?? start.date) < Date.parse(timeMax) &&
  Date.parse(end.dateTime ?? end.date) > Date.parse(timeMin)
const busyIn = ({ events }, range) =>
  [...events.values()]
    .filter(event => touches(event, range))
    .map(({ start, end }) => ({ start: start.dateTime, end: end.dateTime }))

export const failed = (status, reason) => ({
  status,
  body: { error: { code: status, message: `refused eve@example.com`, errors: [{ domain: 'x', reason }] } },
})
