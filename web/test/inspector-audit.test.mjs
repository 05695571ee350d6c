// The audit stream: events in order, without secrets, and bounded even for a slow reader.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { InspectorClient, readEvents } from './inspector-http.mjs'
import { buildTestTools } from './test-tools.mjs'
import { AS_INSPECTOR, startWeb } from './web-server.mjs'

const isLine =
  (event, fields = {}) =>
  item =>
    item.event === 'line' &&
    item.data.event === event &&
    Object.entries(fields).every(([name, value]) => item.data[name] === value)

describe('the audit stream', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let web
  let file
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-inspector-'))
    endings.unshift(() => rm(folder, { recursive: true }))
    file = join(folder, 'audit.jsonl')
    web = await startWeb(context, {
      env: { TOOLGATE_INSPECTOR: 'on', TOOLGATE_ARTIFACT: await buildTestTools(context), TOOLGATE_AUDIT: file },
    })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  const open = async (t, headers) => {
    const stream = await readEvents(`${web.url}/api/inspector/audit`, { headers })
    t.after(() => stream.stop())
    return stream
  }

  test('a reader sees what was before, and each call as it comes', async t => {
    const stream = await open(t)
    assert.match(stream.headers.get('content-type'), /^text\/event-stream/)
    assert.match(stream.headers.get('cache-control'), /no-store, no-transform/)
    const [first] = await stream.until(isLine('registry_loaded'))
    assert.match(first.id, /^[\w-]+\.1$/)
    await new InspectorClient(web.url).call({ name: 'book_room', args: {}, id: 'call_from_the_test' })
    const seen = await stream.until(isLine('tool_refused', { callId: 'call_from_the_test' }))
    assert.equal(seen.at(-1).data.errorType, 'VALIDATION')
  })

  test('no token, no sensitive argument and no cookie is in a line', async t => {
    const client = new InspectorClient(web.url)
    const { body } = await client.call({ name: 'book_room', args: { room: 'Harbour', door_code: 'open-sesame' } })
    const [{ token }] = body.pending
    await client.decide(token, 'approve')
    const stream = await open(t)
    const seen = JSON.stringify(await stream.until(isLine('tool_execution', { toolId: 'book_room' })))
    assert.match(seen, /confirmation_granted/)
    for (const secret of [token, 'open-sesame', client.cookie.split('.')[1]]) assert.ok(!seen.includes(secret), secret)
  })

  test('a reader that comes back goes on where it was', async t => {
    const stream = await open(t)
    const client = new InspectorClient(web.url)
    await client.call({ name: 'first_unknown' })
    const before = (await stream.until(isLine('tool_refused', { toolId: 'first_unknown' }))).at(-1)
    stream.stop()
    await client.call({ name: 'second_unknown' })
    const again = await open(t, { 'last-event-id': before.id })
    const seen = await again.until(isLine('tool_refused', { toolId: 'second_unknown' }))
    assert.equal(Number(seen[0].id.split('.')[1]), Number(before.id.split('.')[1]) + 1)
  })

  for (const id of ['elsewhere.5', 'nonsense', '', '.-3', 'a.b.c']) {
    test(`a place that is none here (\`${id}\`) begins anew`, async t => {
      const [first] = await (await open(t, { 'last-event-id': id })).until(isLine('registry_loaded'))
      assert.match(first.id, /\.1$/)
    })
  }

  test('a line that is too long is cut, and says how long it was', async t => {
    const stream = await open(t)
    await new InspectorClient(web.url).call({ name: 'log_lines', args: { count: 1, characters: 50_000 } })
    const { data } = (await stream.until(item => item.data.cut !== undefined)).at(-1)
    assert.deepEqual([data.event, data.toolId], ['tool_log', 'log_lines'])
    assert.ok(data.characters > 50_000 && data.cut.length < 10_000)
  })

  test('a reader that takes nothing loses the oldest, is told how many, and holds nobody up', async t => {
    const stuck = request(`${web.url}/api/inspector/audit`, { headers: AS_INSPECTOR }).end()
    t.after(() => stuck.destroy())
    const [response] = await once(stuck, 'response')
    const quick = await open(t)
    const client = new InspectorClient(web.url)
    const lines = quick.until(isLine('tool_execution', { toolId: 'log_lines', callId: 'call_that_says_much' }))
    const { body } = await client.call({
      name: 'log_lines',
      id: 'call_that_says_much',
      args: { count: 6000, characters: 4000 },
    })
    assert.equal(body.response.ok, true, JSON.stringify(body.response))
    const last = Number((await lines).at(-1).id.split('.')[1])

    // The reader starts only now: lost lines are reported as gaps, and nothing else is missing.
    let expected = 1
    let lost = 0
    for await (const { id, event, data } of eventsOf(response)) {
      const seq = Number(id.split('.')[1])
      if (event === 'gap') {
        lost += data.lost
        expected += data.lost
        assert.equal(seq, expected - 1)
      } else {
        assert.equal(seq, expected)
        expected += 1
      }
      if (seq >= last) break
    }
    assert.ok(lost > 0, 'nothing was lost')
  })

  test('there are so many readers and no more, and one that leaves makes room', async t => {
    const streams = []
    for (;;) {
      const stream = await open(t)
      if (stream.status !== 200) {
        assert.equal(stream.status, 503)
        break
      }
      streams.push(stream)
      assert.ok(streams.length <= 16)
    }
    streams.pop().stop()
    while ((await open(t)).status !== 200);
    for (const stream of streams) stream.stop()
  })

  test("the lines are in the audit's file too, which is its owner's alone; open streams do not hold the server's end up", async t => {
    const stream = await open(t)
    await new InspectorClient(web.url).call({ name: 'a_last_unknown' })
    await stream.until(isLine('tool_refused', { toolId: 'a_last_unknown' }))
    const ended = assert.rejects(
      stream.until(() => false),
      /the stream ended/,
    )
    await web.stop()
    await ended
    const events = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.ok(events.some(({ toolId }) => toolId === 'a_last_unknown'))
    assert.equal((await stat(file)).mode & 0o777, 0o600)
  })
})

async function* eventsOf(response) {
  let rest = ''
  response.setEncoding('utf8')
  for await (const chunk of response) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop()
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s)))
      if (fields.event) yield { id: fields.id, event: fields.event, data: JSON.parse(fields.data) }
    }
  }
}
