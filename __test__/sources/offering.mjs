// Servers that offer more than tools, the registry over them, and MCP clients of both generations.
import { once } from 'node:events'

import { ProtocolError, Server } from '@modelcontextprotocol/server'

import { createRegistry } from '../../index.js'
import { connected, serving } from '../mcp/http-support.mjs'
import { ROUNDS, modernClient } from '../mcp/support.mjs'
import { sdkServer } from '../support/sdk-server.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { build, lockedProject } from './locked.mjs'

export const ERAS = ['legacy', 'modern']
/** Generation of the client × generation of the server. */
export const PAIRS = ERAS.flatMap(client => ERAS.map(server => [client, server]))
export const CROSSED = PAIRS.filter(([client, server]) => client !== server)

const LOOK = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }
const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}
export const text = value => ({ type: 'text', text: value })
/** What a server answers as an error. */
export const fault = (message, code = -32602, data) => {
  throw new ProtocolError(code, message, data)
}

/** Resources by URI and prompts by name, each with its text, and `look`, which is a tool. */
export const shelf = (resources = {}, prompts = {}) => ({
  'resources/list': () => ({ resources: Object.keys(resources).map(uri => ({ uri, name: uri })) }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) =>
    uri in resources ? { contents: [{ uri, text: resources[uri] }] } : fault('no such resource', -32602, { uri }),
  'prompts/list': () => ({ prompts: Object.keys(prompts).map(name => ({ name })) }),
  'prompts/get': ({ name }) =>
    name in prompts ? { messages: [{ role: 'user', content: text(prompts[name]) }] } : fault('no such prompt'),
})

/**
 * A server over HTTP on loopback.
 * @param {'legacy' | 'modern'} era
 * @param {Record<string, (params: object, context: object) => unknown>} answers by method; those of a shelf are the default
 * @returns `received`: what it was asked, with the token; `notify`: announces changes; `forget`: it starts again; `stop`: it is down
 */
export async function offering(era, answers = {}, { capabilities = CAPABILITIES, tools = [LOOK] } = {}) {
  const received = []
  const all = {
    'tools/list': () => ({ tools }),
    'tools/call': () => ({ content: [text('looked')] }),
    'completion/complete': () => ({ completion: { values: [] } }),
    ...(era === 'legacy' && { 'resources/subscribe': () => ({}), 'resources/unsubscribe': () => ({}) }),
    ...shelf(),
    ...answers,
  }
  const newServer = () => {
    const server = new Server({ name: 'offering', version: '1' }, { capabilities })
    for (const [method, answer] of Object.entries(all))
      if ({ ...capabilities, completion: capabilities.completions }[method.split('/')[0]] !== undefined)
        server.setRequestHandler(method, ({ params = {} }, context) => {
          const token = context.http?.req?.headers.get('authorization') ?? undefined
          received.push({ method, params, ...(token === undefined ? {} : { token }) })
          return answer(params, context)
        })
    return server
  }
  const { http, notify, forget } = sdkServer(era, newServer)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const stop = async () => {
    http.closeAllConnections()
    await new Promise(resolve => http.close(resolve))
  }
  afterTest(stop)
  const { port } = http.address()
  const of = (...methods) => received.filter(({ method }) => methods.includes(method)).map(({ params }) => params)
  const protocolVersion = era === 'modern' ? ROUNDS : '2025-11-25'
  const facts = { era, protocolVersion, capabilities }
  return { definitions: tools, facts, url: `http://127.0.0.1:${port}/mcp`, received, of, notify, forget, stop }
}

/**
 * The gate over servers.
 * @param {Record<string, { server: object } & object>} sources by name: the server, and fields of its settings
 * @param {{ options?: object, mcp?: object }} [given] `options`: of the registry; `mcp`: of the HTTP handler
 */
export async function gateOver(sources, { options = {}, mcp } = {}) {
  const [settings, locked] = [{}, {}]
  for (const [name, { server, transport, ...fields }] of Object.entries(sources)) {
    const reads = { reads: ['*'], ...fields }
    settings[name] = { transport: { url: server.url, ...transport }, ...reads }
    const { definitions, facts } = server
    locked[name] = { definitions, facts, ...settings[name] }
  }
  const project = lockedProject(locked)
  expect(await build(project)).toMatchObject({ ok: true })
  const logs = []
  const registry = createRegistry({
    artifact: project.artifact,
    sources: settings,
    audit: 'none',
    onLog: ({ message }) => logs.push(message),
    ...options,
  })
  await registry.load()
  afterTest(() => registry.close())
  return { registry, logs, ...(await serving(registry, mcp)) }
}

/** A client of one generation. `answers`: by method, what it answers. @param {'legacy' | 'modern'} era */
export async function clientOf(era, url, { answers = {}, ...user } = {}) {
  const modern = era === 'modern' ? modernClient : {}
  const names = Object.keys(answers).map(method => method.split('/')[0])
  const capabilities = Object.fromEntries(names.map(name => [name, {}]))
  return connected(url, { capabilities, ...user, ...modern, answers })
}

/** How a request failed. */
export const failure = promise =>
  promise.then(
    () => {
      throw new Error('it was answered')
    },
    error => error,
  )
