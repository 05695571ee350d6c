// Spans of the voice server's calls, at an endpoint on loopback.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { startSimulator } from 'toolgate-simulator'
import { startOtlpReceiver } from '../../__test__/support/otlp-receiver.mjs'
import { startProgram } from './support/program.js'
import { VoiceClient } from './support/voice-client.js'

test('the end of the server leaves no span behind', async t => {
  const receiver = await startOtlpReceiver(end => t.after(end))
  const simulator = await startSimulator()
  t.after(() => simulator.close())
  const { child, url } = await startProgram(t, {
    TOOLGATE_GEMINI_BASE_URL: simulator.url,
    TOOLGATE_AUDIT: 'none',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  })
  const client = await VoiceClient.start(url)
  client.say('Who knows about Rust?')
  const { id: callId } = await client.next('toolResult')
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
  const spans = receiver.spans.filter(({ attributes }) => attributes['gen_ai.tool.call.id'] === callId)
  assert.deepEqual(
    spans.map(({ name, resource }) => [name, resource['service.name']]),
    [['execute_tool kb_search', 'toolgate-voice']],
  )
})
