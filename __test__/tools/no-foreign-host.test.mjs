// No argument makes a shipped tool reach a host that its services were not configured with: every string argument gets
// every kind of address, through the gate and its consent.
import dgram from 'node:dgram'
import dns from 'node:dns'
import { once } from 'node:events'
import http, { createServer } from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'

import { createRegistry } from '../../index.js'
import { createBraveSearch } from '../../tools/_services/brave-search.js'
import { embeddedServices } from '../../tools/_services/embedded.js'
import { createGoogleCalendar } from '../../tools/_services/google-calendar.js'
import { createImageService } from '../../tools/_services/image-service.js'
import { createOpenAiImages } from '../../tools/_services/openai-images.js'
import { createPlaceholderImages } from '../../tools/_services/placeholder-images.js'
import { handlers } from '../../tools/handlers.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'
import { watchNetwork } from '../support/watched-network.mjs'
import { png } from './support/images.mjs'
import { schemaOf, toolIds } from './support/tool-files.mjs'

const ADDRESSES = [
  'http://evil.example/a?b=c#d',
  'https://evil.example',
  'HTTPS://EVIL.example:8443/x',
  'ftp://evil.example/file',
  'gopher://evil.example:70/_x',
  'ws://evil.example/socket',
  'file:///etc/passwd',
  'file://evil.example/share',
  'data:text/html,<script src=//evil.example></script>',
  'javascript:fetch("//evil.example")',
  'evil.example',
  'evil.example:80',
  'localhost:6379',
  '127.0.0.1',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://0x7f.0x0.0x0.0x1/',
  'http://127.1/',
  'http://[::1]:80/',
  'http://[::ffff:169.254.169.254]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://api.search.brave.com@evil.example/',
  'http://evil.example#@api.openai.com/',
  '//evil.example/x',
  'http:\\\\evil.example\\x',
  '\\\\evil.example\\share\\x',
  'http://evil\u3002example/',
  '../../../../@evil.example/?url=http://evil.example/redirect',
  'https://www.google.com/url?q=http://evil.example',
  'eve@evil.example',
  'eve@[169.254.169.254]',
  'mailto:eve@evil.example',
  'x\r\nHost: evil.example\r\n\r\n',
]

/** The places of texts in the arguments of a schema, as paths. */
function textPlaces(schema, root = schema, path = []) {
  if (schema.$ref) return textPlaces(schemaAt(root, schema.$ref), root, path)
  const places = [schema.type].flat().includes('string') ? [path] : []
  for (const [name, below] of Object.entries(schema.properties ?? {}))
    places.push(...textPlaces(below, root, [...path, name]))
  for (const [key, name] of [
    ['items', 0],
    ['additionalProperties', 'other'],
  ])
    if (typeof schema[key] === 'object') places.push(...textPlaces(schema[key], root, [...path, name]))
  for (const below of [schema.anyOf, schema.oneOf, schema.allOf].flat())
    if (below) places.push(...textPlaces(below, root, path))
  return places
}

const schemaAt = (root, reference) =>
  reference
    .split('/')
    .slice(1)
    .reduce((schema, name) => schema[name], root)

/** The arguments with another value at a place. */
function withValue(args, [name, ...rest], value) {
  if (name === undefined) return value
  const copy = typeof name === 'number' ? [...(args ?? [])] : { ...args }
  copy[name] = withValue(copy[name], rest, value)
  return copy
}

const unique = places => [...new Map(places.map(place => [JSON.stringify(place), place])).values()]
const SHIPPED = toolIds.map(id => {
  const { parameters, examples, allowedModes } = schemaOf(id)
  return { id, places: unique(textPlaces(parameters)), example: examples[0], mode: allowedModes[0] }
})

/** A gate over the shipped tools; `call` runs one call in a session of its own, and says yes for its user. */
async function open(services = {}) {
  let registry = null
  const embedded = await embeddedServices({ calendarFolder: temporaryFolder(), registry: () => registry })
  const image = createImageService(createPlaceholderImages())
  const ran = new Map()
  const thrown = []
  const counted = Object.entries(handlers).map(([id, handler]) => {
    return [id, { ...handler, execute: context => (ran.set(id, (ran.get(id) ?? 0) + 1), handler.execute(context)) }]
  })
  registry = createRegistry({
    handlers: Object.fromEntries(counted),
    services: { ...embedded, image, ...services },
    onHandlerError: error => thrown.push(error),
  })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  let sessions = 0
  const call = async ({ id, mode }, args) => {
    const sessionId = `session-${(sessions += 1)}`
    const messaging = { send: () => {} }
    const session = await registry.createSession({ mode, sessionId, roles: ['admin'], messaging })
    for (const kind of ['screen', 'webcam']) embedded.vision.put(sessionId, kind, png())
    const response = await session.execute({ name: id, args })
    const token = response.ok ? undefined : response.error.confirmation_request?.token
    const answer = token === undefined ? response : await session.confirm(token)
    await session.end()
    return answer
  }
  return { call, ran, thrown }
}

/** Calls each tool with its example, and with each address at each place. Gives the answers to the examples. */
async function attack({ call }, tools) {
  const answers = {}
  let calls = 0
  for (const tool of tools) {
    const answer = await call(tool, tool.example)
    calls += 1
    answers[tool.id] = answer.ok || answer.error.type
    for (const place of tool.places)
      for (const address of ADDRESSES) {
        await call(tool, withValue(tool.example, place, address))
        calls += 1
      }
  }
  return { calls, answers }
}

test('with the embedded services nothing leaves the process, whatever the arguments', async () => {
  const gate = await open()
  const network = watchNetwork()
  let attacked
  try {
    attacked = await attack(gate, SHIPPED)
  } finally {
    network.stop()
  }
  const { calls, answers } = attacked
  const places = SHIPPED.flatMap(({ places }) => places).length
  expect([SHIPPED.length, calls]).toEqual([29, 29 + places * ADDRESSES.length])
  expect(places).toBeGreaterThan(50)
  // Enough of the addresses fit the schemas: each tool's handler ran, and most texts reached theirs.
  expect([...gate.ran.keys()].toSorted()).toEqual(toolIds.toSorted())
  expect([...gate.ran.values()].reduce((sum, count) => sum + count)).toBeGreaterThan(calls / 3)
  // No call runs that it could cancel.
  const expected = { ...Object.fromEntries(toolIds.map(id => [id, true])), call_cancel: 'NOT_FOUND' }
  expect([answers, gate.thrown]).toEqual([expected, []])
  expect([network.seen, network.handles]).toEqual([[], []])
})

test('with services on a configured host, that host is the only one', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(400).end('{}'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterTest(() => new Promise(resolve => (server.close(resolve), server.closeAllConnections())))
  const host = `127.0.0.1:${server.address().port}`
  const baseUrl = `http://${host}/`
  const gate = await open({
    search: createBraveSearch({ apiKey: 'key', baseUrl }),
    calendar: createGoogleCalendar({ accessToken: () => 'token', timeZone: 'UTC', baseUrl }),
    image: createImageService(createOpenAiImages({ apiKey: 'key', baseUrl })),
  })
  const remote = SHIPPED.filter(({ id }) =>
    schemaOf(id).requires?.some(name => ['search', 'calendar', 'image'].includes(name)),
  )
  const network = watchNetwork({ allowed: [host] })
  try {
    await attack(gate, remote)
  } finally {
    network.stop()
  }
  expect(remote.map(({ id }) => id)).toHaveLength(5)
  const origins = network.seen.map(what => what.replace(/^(fetch http:\/\/[^/]*).*/, '$1'))
  expect([...new Set(origins)].toSorted()).toEqual([`connect ${host}`, `fetch http://${host}`])
  expect(network.seen.length).toBeGreaterThan(100)
  expect(new Set(network.handles)).toEqual(new Set(['TCPCONNECTWRAP']))
})

test('the watch sees each way out, and lets none through', async () => {
  const network = watchNetwork()
  const failure = promise =>
    promise.then(
      () => 'went out',
      () => 'refused',
    )
  const emitted = make =>
    new Promise(resolve => {
      try {
        make()
          .on('error', () => resolve('refused'))
          .on('connect', () => resolve('went out'))
          .on('response', () => resolve('went out'))
      } catch {
        resolve('refused')
      }
    })
  const ways = {
    fetch: () => failure(fetch('http://evil.example/x')),
    http: () => emitted(() => http.get('http://evil.example/y')),
    https: () => emitted(() => https.get('https://evil.example/z')),
    net: () => emitted(() => net.connect(25, 'evil.example')),
    socket: () => emitted(() => new net.Socket().connect({ host: '203.0.113.9', port: 1 })),
    tls: () => emitted(() => tls.connect({ host: 'evil.example', port: 443 })),
    lookup: () => failure(new Promise(resolve => resolve(dns.promises.lookup('evil.example')))),
    resolve: () => failure(new Promise(resolve => resolve(new dns.promises.Resolver().resolve4('evil.example')))),
    callback: () => failure(new Promise(resolve => dns.lookup('evil.example', resolve))),
    datagram: () => failure(new Promise(resolve => dgram.createSocket('udp4').send('x', 53, '203.0.113.9', resolve))),
  }
  const results = {}
  try {
    for (const [name, go] of Object.entries(ways)) results[name] = await go()
  } finally {
    network.stop()
  }
  expect(results).toEqual(Object.fromEntries(Object.keys(ways).map(name => [name, 'refused'])))
  expect(network.seen).toEqual([
    'fetch http://evil.example/x',
    'connect evil.example:80',
    'connect evil.example:80',
    'connect evil.example:443',
    'connect evil.example:25',
    'connect 203.0.113.9:1',
    'connect evil.example:443',
    'lookup evil.example',
    'resolve4 evil.example',
    'lookup evil.example',
    'datagram x 53 203.0.113.9',
  ])
  expect(network.handles).toEqual([])
})
