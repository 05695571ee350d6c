// The built-in service `registry`: search and documentation of the tools that a session may see.
import { afterTest, toolSet } from '../support/tool-set.mjs'
import { openGate } from '../support/gate.mjs'
import { createRegistry } from '../../index.js'

const asker = {
  requires: ['registry'],
  description: 'Asks the registry on behalf of the test.',
  execute: ({ services, mode }) => ({
    ok: true,
    data: {
      found: services.registry.search({ query: 'mail', mode }).map(({ toolId }) => toolId),
      described: Object.keys(services.registry.describe({ toolId: 'admin_mail', mode })),
      names: Object.keys(services),
    },
  }),
}
const tools = {
  asker,
  admin_mail: {
    description: 'Counts the mail of all people.',
    requiredRoles: ['admin'],
    execute: () => ({ ok: true }),
  },
  read_mail: { description: 'Reads the mail of a person.', requires: ['post'], execute: () => ({ ok: true }) },
  send_mail: { description: 'Sends mail to a person.', allowedModes: ['text'], execute: () => ({ ok: true }) },
}
const ask = async session => (await session.execute({ name: 'asker', args: {} })).data

test('a session finds only tools of its mode, services and roles', async () => {
  const { session } = await openGate(tools)
  expect(await ask(await session())).toMatchObject({ found: ['send_mail'], described: ['nearest'] })
  const voice = await ask(await session({ mode: 'voice', services: { post: {} } }))
  expect(voice).toMatchObject({ found: ['read_mail'], names: ['post'] })
  const all = await ask(await session({ services: { post: {} }, roles: ['admin'] }))
  expect([all.found.toSorted(), all.described]).toEqual([['admin_mail', 'read_mail', 'send_mail'], ['tool']])
})

test('a call of `executeTool` has no roles but those of its tool', async () => {
  const { registry } = await openGate(tools)
  const { data } = await registry.executeTool('asker', { args: {}, services: { post: {} } })
  expect(data.found.toSorted()).toEqual(['read_mail', 'send_mail'])
})

test('tools that require the service are declared without a service of the host', async () => {
  const { registry } = await openGate(tools)
  const names = options => registry.getProviderSchemas('openai', options).map(({ function: { name } }) => name)
  expect(names()).toContain('asker')
  expect(names({ services: [] })).toContain('asker')
  expect(registry.getSummaries()).toContain('**asker**')
})

test('a host cannot take the name of the built-in service', async () => {
  const { registry, session } = await openGate(tools)
  const message = 'the service name `registry` is built in; give your service another name'
  await expect(session({ services: { registry: {} } })).rejects.toThrow(new TypeError(message))
  await expect(registry.executeTool('asker', { services: { registry: {} } })).rejects.toThrow(new TypeError(message))
  const { artifact } = await toolSet({ asker: { ...asker, execute: undefined } })
  const other = createRegistry({ artifact, handlers: { asker: asker.execute }, services: { registry: {} } })
  afterTest(() => other.close({ timeoutMs: 0 }))
  await expect(other.load()).rejects.toThrow(new TypeError(message))
})
