// Spans of the web app's calls, at an endpoint on loopback.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOtlpReceiver } from '../../__test__/support/otlp-receiver.mjs'
import { Browser } from './browser.mjs'
import { simulate } from './simulator.mjs'
import { startWeb } from './web-server.mjs'

test('a call is a span within the span of its request', async t => {
  const receiver = await startOtlpReceiver(end => t.after(end))
  const { env } = await simulate(t)
  const web = await startWeb(t, { env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } })
  const turn = await new Browser(web.url).say('Who knows about Rust?')
  process.kill(web.pid, 'SIGTERM')
  assert.deepEqual(await web.ended, [0, null])
  const call = receiver.spans.find(({ name }) => name === 'execute_tool kb_search')
  assert.equal(call?.attributes['gen_ai.tool.call.id'], turn.answers[0].meta.callId)
  assert.equal(call.resource['service.name'], 'toolgate-web')
  const request = receiver.spans.find(({ name, traceId }) => traceId === call.traceId && name.startsWith('POST /api/'))
  assert.ok(request, JSON.stringify(receiver.spans.map(({ name }) => name)))
})
