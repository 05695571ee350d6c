// What sessions declare with each value of `toolSearch`, over 500 tools.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { createRegistry } from '../../index.js'
import { openGate } from '../support/gate.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { META_TOOLS, openManyTools } from './many-tools-gate.mjs'

const META = Object.keys(META_TOOLS)
const FLAT = ['openaiResponses', 'openaiRealtime', 'geminiNative', 'geminiJson', 'anthropic', 'mcp']
const names = declared => declared.map(one => one.name ?? one.function?.name)
let many
let numberOfCalls = 0

beforeAll(async () => {
  many = await openManyTools({ always: ['ticket_create'] })
})
afterAll(() => many.close())

const search = (session, query, more = {}) =>
  session.execute({ id: `call_find_${(numberOfCalls += 1)}`, name: 'reg_search', args: { query, ...more } })

async function open(options = {}) {
  const session = await many.registry.createSession({ mode: 'text', toolSearch: 'gate', ...options })
  afterTest(() => session.end())
  return session
}

describe('search', () => {
  test.each(['openai', 'openaiStrict', ...FLAT])('declares the meta-tools and the marked tools to %s', provider => {
    const declared = many.registry.getProviderSchemas(provider, { toolSearch: 'gate' })
    expect(names(declared)).toEqual([...META, 'ticket_create'])
    const all = many.registry.getProviderSchemas(provider)
    expect(all).toHaveLength(502)
    expect(declared).toEqual(all.filter(one => names(declared).includes(names([one])[0])))
  })

  test('a found tool is declared for the rest of the session, in the form of each provider', async () => {
    const session = await open()
    expect(names(session.declared())).toEqual([...META, 'ticket_create'])
    const { data } = await search(session, 'track a shipment', { limit: 2 })
    const found = data.tools.map(({ toolId }) => toolId)
    expect(found).toContain('shipment_track')
    await search(session, 'refund an invoice', { limit: 1 })
    const expected = [...META, 'ticket_create', 'invoice_refund', ...found].toSorted()
    for (const provider of ['openai', ...FLAT]) expect(names(session.declared(provider)).toSorted()).toEqual(expected)
    const whole = many.registry.getProviderSchemas('anthropic')
    expect(session.declared('anthropic')).toEqual(whole.filter(({ name }) => expected.includes(name)))
    expect(session.isDeclared('shipment_track')).toBe(true)
    expect(session.isDeclared('shipment_create')).toBe(found.includes('shipment_create'))
  })

  test('a described tool is declared too, an unknown one is not', async () => {
    const session = await open()
    await session.execute({ id: 'call_describe_1', name: 'reg_describe', args: { tool_id: 'lease_audit' } })
    await session.execute({ id: 'call_describe_2', name: 'reg_describe', args: { tool_id: 'lease_audti' } })
    expect(names(session.declared())).toEqual(['lease_audit', ...META, 'ticket_create'])
  })

  test('a call of a tool that is not declared is treated as any other', async () => {
    const session = await open()
    const call = { id: 'call_undeclared_1', name: 'recipe_print', args: { number: 'R-1' } }
    expect(await session.execute(call)).toMatchObject({ ok: true, data: { number: 'R-1' } })
    expect(await session.execute({ ...call, id: 'call_undeclared_2', args: {} })).toMatchObject({
      error: { type: 'VALIDATION' },
    })
    expect(names(session.declared())).toEqual([...META, 'ticket_create'])
  })

  test('the listener gets each found tool once, before the search is answered', async () => {
    const events = []
    const session = await open({ onToolsFound: toolIds => events.push(toolIds) })
    const first = await search(session, 'cancel a flight', { limit: 3 }).then(answer => {
      events.push('answered')
      return answer.data.tools.map(({ toolId }) => toolId)
    })
    await search(session, 'cancel a flight', { limit: 3 })
    expect(events).toEqual([first, 'answered'])
  })

  test('the newest 100 found tools are kept', async () => {
    const session = await open({ policy: { totalCalls: 1000, retrievalCalls: 1000 } })
    const nouns = many.registry.getToolsByCategory('retrieval').map(({ toolId }) => toolId.split('_')[0])
    const found = []
    for (const noun of new Set(nouns)) {
      const { data } = await search(session, noun, { limit: 10 })
      found.push(...data.tools.map(({ toolId }) => toolId))
    }
    const kept = [...new Set(found)].slice(-100)
    expect(new Set(found).size).toBeGreaterThan(200)
    const expected = new Set([...META, 'ticket_create', ...kept])
    expect(names(session.declared())).toEqual([...expected].toSorted())
  })

  test('what the host writes into the state is not trusted', async () => {
    const session = await open()
    for (const value of ['shipment_track', 7, [1, null, 'no_such_tool', 'shipment_track'], { length: 3 }]) {
      session.state.set('foundTools', value)
      const expected = Array.isArray(value) ? ['shipment_track'] : []
      expect(names(session.declared())).toEqual([...META, ...expected, 'ticket_create'])
    }
  })

  test('other sessions of the registry are not changed', async () => {
    const session = await open()
    const all = await open({ toolSearch: undefined })
    await search(session, 'track a shipment')
    await search(all, 'track a shipment')
    expect(all.toolSearch).toBe('off')
    expect(names(all.declared('anthropic'))).toHaveLength(502)
    expect(all.state.get('foundTools')).toBeUndefined()
    expect(names((await open()).declared())).toEqual([...META, 'ticket_create'])
  })
})

test('found tools of a session in a file are declared by its next attachment, in another registry', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-found-'))
  afterTest(() => rmSync(folder, { recursive: true, force: true }))
  const { artifact, handlers } = many
  const attach = async () => {
    const registry = createRegistry({ artifact, handlers, store: { file: path.join(folder, 'sessions.db') } })
    await registry.load()
    const session = await registry.createSession({ sessionId: 'chat-1', mode: 'text', toolSearch: 'gate' })
    return { registry, session }
  }
  const first = await attach()
  await search(first.session, 'track a shipment', { limit: 1 })
  await first.registry.close()
  const second = await attach()
  afterTest(() => second.registry.close({ timeoutMs: 0 }))
  expect(names(second.session.declared())).toEqual([...META, 'shipment_track', 'ticket_create'])
})

test('mode, services and roles limit what a found id declares', async () => {
  const { session } = await openGate(
    {
      finder: {
        requires: ['registry'],
        execute: ({ services, mode }) => services.registry.search({ query: 'x', mode }),
      },
      in_voice: { allowedModes: ['voice'] },
      for_admins: { requiredRoles: ['admin'] },
      with_mail: { requires: ['mail'] },
      plain: {},
    },
    {},
  )
  const state = { foundTools: ['in_voice', 'for_admins', 'with_mail', 'plain'] }
  const declared = async options => names((await session({ toolSearch: 'gate', state, ...options })).declared('mcp'))
  expect(await declared({})).toEqual(['finder', 'plain'])
  expect(await declared({ mode: 'voice' })).toEqual(['finder', 'in_voice', 'plain'])
  expect(await declared({ roles: ['admin'], services: { mail: {} } })).toEqual([
    'finder',
    'for_admins',
    'plain',
    'with_mail',
  ])
})

describe('deferred', () => {
  const SEARCH = {
    openaiResponses: { type: 'tool_search' },
    anthropic: { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  }

  test.each(Object.keys(SEARCH))('adds the search tool of %s and defers all but the marked tools', async provider => {
    const all = many.registry.getProviderSchemas(provider)
    const expected = all.map(({ input_examples: _, ...one }) =>
      one.name === 'ticket_create' ? one : { ...one, defer_loading: true },
    )
    expect(many.registry.getProviderSchemas(provider, { toolSearch: 'provider' })).toEqual([
      SEARCH[provider],
      ...expected,
    ])
    expect((await open({ toolSearch: 'provider' })).declared(provider)).toEqual([SEARCH[provider], ...expected])
  })

  test.each(['openai', 'openaiStrict', 'openaiRealtime', 'geminiNative', 'geminiJson', 'mcp'])(
    'is refused for %s, which has no tool search',
    async provider => {
      const message = `\`${provider}\` has no tool search; \`toolSearch: 'provider'\` takes \`openaiResponses\` and \`anthropic\``
      const declare = () => many.registry.getProviderSchemas(provider, { toolSearch: 'provider' })
      expect(declare).toThrow(new TypeError(message))
    },
  )

  test("leaves out examples, which Anthropic's tool search refuses", async () => {
    const { registry } = await openGate({ one: { examples: [{}] }, two: { examples: [{}], alwaysDeclared: true } })
    const examplesIn = options =>
      registry.getProviderSchemas('anthropic', options).flatMap(({ input_examples: examples = [] }) => examples)
    expect(examplesIn({})).toEqual([{}, {}])
    expect(examplesIn({ toolSearch: 'provider' })).toEqual([])
  })

  test('a set in which nothing is deferred gets no search tool', async () => {
    const { registry } = await openGate({ one: { alwaysDeclared: true } })
    expect(registry.getProviderSchemas('anthropic', { toolSearch: 'provider' })).toEqual(
      registry.getProviderSchemas('anthropic'),
    )
  })
})

describe('misuse', () => {
  test('an unknown value is refused', async () => {
    const message = 'unknown `toolSearch` `few`; it must be `off`, `gate`, `provider`'
    expect(() => many.registry.getProviderSchemas('openai', { toolSearch: 'few' })).toThrow(new TypeError(message))
    await expect(open({ toolSearch: 'few' })).rejects.toThrow(new TypeError(message))
  })

  test('search without a tool that searches is refused', async () => {
    const { registry } = await openGate({ one: { alwaysDeclared: true } })
    const declare = () => registry.getProviderSchemas('openai', { mode: 'text', toolSearch: 'gate' })
    expect(declare).toThrow(
      new TypeError(
        "`toolSearch: 'gate'` needs a tool that requires the service `registry` in mode `text`, such as `reg_search`",
      ),
    )
  })

  test('an unknown provider is refused', () => {
    expect(() => many.registry.getProviderSchemas('nope', { toolSearch: 'gate' })).toThrow(
      new TypeError(
        'unknown provider `nope`: use one of `openai`, `openaiStrict`, `openaiResponses`, `openaiRealtime`, `geminiNative`, `geminiJson`, `anthropic`, `mcp`',
      ),
    )
  })
})

test.each([
  ['all', 'off'],
  ['search', 'gate'],
  ['deferred', 'provider'],
])('the earlier option `toolsets: %s` is `toolSearch: %s`', async (toolsets, toolSearch) => {
  expect(many.registry.getProviderSchemas('anthropic', { toolsets })).toEqual(
    many.registry.getProviderSchemas('anthropic', { toolSearch }),
  )
  expect((await open({ toolSearch: undefined, toolsets })).toolSearch).toBe(toolSearch)
})
