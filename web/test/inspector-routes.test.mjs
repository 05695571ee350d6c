// The inspector's routes over HTTP: the built app, the real gate, the shipped tools and those for tests.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { listen } from './handler-listener.mjs'
import { InspectorClient } from './inspector-http.mjs'
import { buildTestTools } from './test-tools.mjs'
import { startWeb } from './web-server.mjs'

const PROVIDERS = [
  'openai',
  'openaiStrict',
  'openaiResponses',
  'openaiRealtime',
  'geminiNative',
  'geminiJson',
  'anthropic',
  'mcp',
]

describe('the inspector over HTTP', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let shipped
  let own
  let listener
  before(async () => {
    listener = await listen(context)
    shipped = await startWeb(context, { env: { TOOLGATE_INSPECTOR: 'on' } })
    const tools = { TOOLGATE_ARTIFACT: await buildTestTools(context), TOOLGATE_TEST_LISTENER: listener.url }
    own = await startWeb(context, { env: { TOOLGATE_INSPECTOR: 'on', ...tools } })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  describe('tools', () => {
    test('the list says what each tool is and does', async () => {
      const { body } = await new InspectorClient(shipped.url).read('/api/inspector/tools')
      assert.match(body.version, /^1\.0\.[0-9a-f]{8}$/)
      assert.deepEqual(body.modes, ['text', 'voice', 'webcam'])
      const { summary, ...event } = body.tools.find(({ toolId }) => toolId === 'calendar_create_event')
      assert.match(summary, /Create an event/)
      assert.deepEqual(event, {
        toolId: 'calendar_create_event',
        title: 'Create a calendar event',
        version: '1.0.0',
        category: 'action',
        allowedModes: ['text', 'voice'],
        effect: 'writes',
        confirmation: 'always',
        available: true,
      })
    })

    test('a tool comes with a declaration and a receipt for each provider', async () => {
      const { body } = await new InspectorClient(shipped.url).read('/api/inspector/tools/kb_search')
      assert.deepEqual(
        body.declarations.map(({ provider }) => provider),
        PROVIDERS,
      )
      for (const { provider, declaration } of body.declarations) assert.ok(declaration, provider)
      const gemini = body.declarations.find(({ provider }) => provider === 'geminiNative')
      assert.equal(gemini.declaration.parameters.properties.top_k.type, 'INTEGER')
      assert.ok(gemini.receipt.some(({ pointer, lost }) => pointer === '/properties/return_fields/uniqueItems' && lost))
      assert.match(body.documentation, /^# kb_search/)
      assert.equal(body.compiled.examples[0].query, 'Rust audio')
      assert.equal(body.compiled.resultSchema.type, 'object')
    })

    test("a tool set of one's own is shown with its own examples and settings", async () => {
      const { body } = await new InspectorClient(own.url).read('/api/inspector/tools/book_room')
      assert.deepEqual(body.compiled.settings.confirmation, { preview: 'Book the room {room}', ttlMs: 300000 })
    })

    test('a tool that is not there is 404', async () => {
      for (const toolId of ['nope', '__proto__', '..%2F..', 'constructor']) {
        assert.equal(
          (await new InspectorClient(shipped.url).read(`/api/inspector/tools/${toolId}`)).status,
          404,
          toolId,
        )
      }
    })

    test("the form's checks are a script that needs no compiler", async () => {
      const response = await new InspectorClient(shipped.url).fetch('/api/inspector/tools/kb_search/form-validator')
      assert.match(response.headers.get('content-type'), /^text\/javascript/)
      const source = await response.text()
      assert.match(source, /^export default function \(require\)/)
      assert.doesNotMatch(source, /new Function|eval\(/)
    })
  })

  describe('calls', () => {
    test('a call runs through a session of its own, each in a turn of its own', async () => {
      const client = new InspectorClient(shipped.url)
      const first = await client.call({ name: 'kb_search', args: { query: 'Rust' } })
      assert.equal(first.status, 200)
      assert.equal(first.body.response.ok, true, JSON.stringify(first.body))
      assert.deepEqual([first.body.response.meta.mode, first.body.turn], ['text', 1])
      assert.match(client.cookie, /^toolgate_inspector=/)
      assert.equal((await client.call({ name: 'kb_search', args: { query: 'Rust' } })).body.turn, 2)
      const same = await client.call({ name: 'kb_search', args: { query: 'Rust' }, newTurn: false })
      assert.deepEqual([same.body.turn, same.body.response.meta._idempotent_cache_hit], [2, true])
    })

    test("the mode's rules hold", async () => {
      const client = new InspectorClient(shipped.url)
      const voice = await client.call({ name: 'kb_search', args: { query: 'Rust', top_k: 9 }, mode: 'voice' })
      assert.deepEqual(voice.body.response.meta.clamped, [{ path: '/top_k', from: 9, to: 3 }])
      const refused = await client.call({ name: 'kb_search', args: { query: 'Rust' }, mode: 'webcam' })
      assert.equal(refused.body.response.error.type, 'MODE_RESTRICTED')
      for (const query of ['one', 'two'])
        await client.call({ name: 'kb_search', args: { query }, mode: 'voice', newTurn: query === 'one' })
      const third = await client.call({ name: 'kb_search', args: { query: 'three' }, mode: 'voice', newTurn: false })
      assert.equal(third.body.response.error.type, 'BUDGET_EXCEEDED')
    })

    for (const [what, call, type] of [
      ['an unknown tool', { name: 'kb_serch' }, 'NOT_FOUND'],
      ['a name that is none', { name: '' }, 'VALIDATION'],
      ['broken JSON', { name: 'kb_search', args: '{"query": "Ru' }, 'VALIDATION'],
      ['wrong types', { name: 'kb_search', args: { query: {} } }, 'VALIDATION'],
      [
        'properties that are not there',
        { name: 'kb_search', args: '{"query":"Rust","__proto__":{"x":1}}' },
        'VALIDATION',
      ],
      ['arguments nested too deep', { name: 'kb_search', args: '['.repeat(100) + ']'.repeat(100) }, 'VALIDATION'],
      ['arguments that are too large', { name: 'kb_search', args: { query: 'x'.repeat(1_100_000) } }, 'VALIDATION'],
    ]) {
      test(`${what} is ${type}, as data`, async () => {
        const { status, body } = await new InspectorClient(shipped.url).call(call)
        assert.equal(status, 200)
        assert.equal(body.response.error.type, type)
      })
    }

    test('what a handler says to the client comes with the answer', async () => {
      const { body } = await new InspectorClient(shipped.url).call({
        name: 'start_voice_session',
        args: { pending_request: 'the plan' },
      })
      assert.equal(body.response.ok, true)
      assert.deepEqual(
        body.messages.map(({ type, pendingRequest }) => [type, pendingRequest]),
        [['voice_session_start', 'the plan']],
      )
    })

    test('a call with the same id is answered from its record', async () => {
      const client = new InspectorClient(shipped.url)
      const call = { name: 'kb_search', id: 'call_0123456789abcdef', args: { query: 'Rust' } }
      await client.call(call)
      assert.equal((await client.call(call)).body.response.meta._original_turn, 1)
    })

    test('the roles are those that are chosen', async () => {
      const client = new InspectorClient(own.url)
      assert.equal((await client.call({ name: 'open_vault' })).body.response.error.type, 'AUTH')
      assert.equal((await client.call({ name: 'open_vault', roles: ['keeper'] })).body.response.ok, true)
      assert.equal((await client.call({ name: 'open_vault' })).body.response.error.type, 'AUTH')
    })

    test('a running call is cancelled by another request of the same browser, and by no other', async () => {
      const client = new InspectorClient(own.url)
      await client.postJson('/api/inspector/session', {})
      const started = once(listener.events, 'started')
      const slow = client.call({ name: 'wait_for_word' })
      await started
      const cancel = async who => (await (await who.postJson('/api/inspector/cancellations', {})).json()).cancelled
      assert.deepEqual([await cancel(new InspectorClient(own.url)), await cancel(client)], [0, 1])
      assert.equal((await slow).body.response.error.type, 'CANCELLED')
    })

    test('a page that is left cancels what it runs', async () => {
      const page = new AbortController()
      const [started, aborted] = [once(listener.events, 'started'), once(listener.events, 'aborted')]
      const left = new InspectorClient(own.url).postJson(
        '/api/inspector/calls',
        { name: 'wait_for_word', args: '' },
        { signal: page.signal },
      )
      await started
      page.abort()
      await assert.rejects(left, { name: 'AbortError' })
      await aborted
    })
  })

  describe('confirmations', () => {
    test('an approved call runs once, as it was shown', async () => {
      const client = new InspectorClient(own.url)
      const asked = await client.call({ name: 'book_room', args: { room: 'Harbour' } })
      assert.equal(asked.body.response.error.type, 'CONFIRMATION_REQUIRED')
      assert.equal(asked.body.response.error.confirmation_request.token, undefined)
      const [card] = asked.body.pending
      assert.deepEqual([card.preview, card.args, card.mode], ['Book the room Harbour', { room: 'Harbour' }, 'text'])
      assert.deepEqual((await client.read('/api/inspector/session')).body.pending, [card])
      const approved = await client.decide(card.token, 'approve')
      assert.deepEqual([approved.body.response.data.room, approved.body.pending], ['Harbour', []])
      const { usage, turn } = (await client.read('/api/inspector/session')).body
      assert.deepEqual(usage, approved.body.usage)
      assert.ok(usage.turn === turn && usage.contextTokens >= usage.turnContextTokens && usage.turnContextTokens > 0)
      const again = await client.decide(card.token, 'approve')
      assert.equal(again.body.response.error.details.reason, 'used')
    })

    test('a denied call does not run', async () => {
      const client = new InspectorClient(own.url)
      const numberOf = async room => {
        const { body } = await client.call({ name: 'book_room', args: { room } })
        return (await client.decide(body.pending[0].token, 'approve')).body.response.data.number
      }
      const first = await numberOf('A')
      const [card] = (await client.call({ name: 'book_room', args: { room: 'B' } })).body.pending
      assert.deepEqual((await client.decide(card.token, 'deny')).body, { denied: true, pending: [] })
      assert.equal(await numberOf('C'), first + 1)
    })

    test("another browser's token runs nothing", async () => {
      const [card] = (await new InspectorClient(own.url).call({ name: 'book_room', args: { room: 'D' } })).body.pending
      const other = await new InspectorClient(own.url).decide(card.token, 'approve')
      assert.equal(other.body.response.error.type, 'CONFIRMATION_EXPIRED')
    })
  })

  describe('the session', () => {
    test('looking at it begins none; ending it begins another', async () => {
      const client = new InspectorClient(own.url)
      const none = { turn: 0, pending: [], usage: null, state: null }
      assert.deepEqual((await client.read('/api/inspector/session')).body, none)
      assert.equal(client.cookie, '')
      assert.equal((await (await client.postJson('/api/inspector/session', {})).json()).turn, 1)
      assert.equal((await client.read('/api/inspector/session')).body.state.isActive, true)
      await client.call({ name: 'book_room', args: { room: 'E' } })
      assert.deepEqual(await (await client.fetch('/api/inspector/session', { method: 'DELETE' })).json(), {
        ended: true,
      })
      assert.equal(client.cookie, 'toolgate_inspector=')
      assert.deepEqual((await client.read('/api/inspector/session')).body.pending, [])
    })

    test("a cookie that was not issued leads to no session of somebody else's", async () => {
      const client = new InspectorClient(own.url)
      await client.postJson('/api/inspector/session', {})
      const thief = new InspectorClient(own.url)
      const [id, , signature] = client.cookie.split('.')
      thief.cookie = `${id}.${'A'.repeat(22)}.${signature}`
      assert.equal((await thief.postJson('/api/inspector/session', {})).status, 200)
      assert.notEqual(thief.cookie.split('.')[0], id)
    })
  })

  test('the metrics count what was called', async () => {
    const client = new InspectorClient(own.url)
    const count = async () =>
      (await client.read('/api/inspector/metrics')).body.tools['(unknown)']?.text?.errors.NOT_FOUND ?? 0
    const earlier = await count()
    await client.call({ name: 'no_such_tool' })
    assert.equal(await count(), earlier + 1)
  })
})
