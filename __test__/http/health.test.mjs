// `/healthz` and `/readyz`: each state of a server, over HTTP.
import { once } from 'node:events'
import { createServer } from 'node:http'

import { createRegistry } from '../../index.js'
import { createHealthProbes } from '../../js/http/index.js'
import { eventually } from '../support/gate.mjs'
import { afterTest, toolSet } from '../support/tool-set.mjs'

const READY = { ok: true, draining: false, registry: true, store: true, audit: true, auditLinesLost: 0 }

const linux = process.platform === 'linux' ? test : test.skip

/** A server with the probes. Gives what a path answers. */
async function serve(options) {
  const probes = createHealthProbes(options)
  const server = createServer((request, response) => {
    if (!probes.answer(request, response)) response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterTest(() => server.close())
  return async path => {
    const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`)
    const cache = response.headers.get('cache-control')
    return response.status === 404 ? 404 : { status: response.status, cache, body: await response.json() }
  }
}

async function loaded(options) {
  const { artifact } = await toolSet({ echo: {} })
  const registry = createRegistry({ artifact, onLog: () => {}, ...options })
  await registry.load()
  afterTest(() => registry.close())
  return registry
}

test('a server that works', async () => {
  const registry = await loaded()
  const get = await serve({ registry: () => registry, details: () => ({ sessions: 2 }) })
  const body = { ok: true, version: '0.1.0', toolsVersion: registry.getVersion(), details: { sessions: 2 } }
  expect(await get('/healthz')).toEqual({ status: 200, cache: 'no-store', body })
  expect(await get('/readyz?verbose')).toEqual({ status: 200, cache: 'no-store', body: READY })
  expect([await get('/'), await get('/healthz/x'), await get('//readyz')]).toEqual([404, 404, 404])
})

test('a tool set that cannot be loaded is not ready, and the process is alive', async () => {
  const { artifact } = await toolSet({ echo: {} })
  const notLoaded = createRegistry({ artifact })
  for (const registry of [() => Promise.reject(new Error('postgres://secret')), () => notLoaded]) {
    const get = await serve({ registry })
    const alive = await get('/healthz')
    expect([alive.status, alive.body.toolsVersion]).toEqual([200, null])
    const body = { ...READY, ok: false, registry: false, store: false, audit: false }
    expect(await get('/readyz')).toEqual({ status: 503, cache: 'no-store', body })
  }
})

test('a server that is about to end', async () => {
  const registry = await loaded()
  let isDraining = false
  const get = await serve({ registry: () => registry, isDraining: () => isDraining })
  isDraining = true
  expect(await get('/readyz')).toMatchObject({ status: 503, body: { ...READY, ok: false, draining: true } })
  isDraining = false
  expect((await get('/readyz')).status).toBe(200)
  await registry.close()
  expect(await get('/readyz')).toMatchObject({ status: 503, body: { ...READY, ok: false, draining: true } })
  expect((await get('/healthz')).status).toBe(200)
})

linux('an audit that loses its lines', async () => {
  const registry = await loaded({ audit: { file: '/dev/full' } })
  const get = await serve({ registry: () => registry })
  await eventually(async () => (await get('/readyz')).body.auditLinesLost > 0, 'a lost line')
  expect(await get('/readyz')).toMatchObject({
    status: 503,
    body: { ok: false, registry: true, store: true, audit: false },
  })
})
