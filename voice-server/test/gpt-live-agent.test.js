// The text agent of README.md, as it is written there: the AI SDK works for GPT-Live, both against the simulator.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { startSimulator } from 'toolgate-simulator'
import { call, on, say } from './support/fixture.js'
import { isSaid, timesSaid } from './support/gpt-live.js'
import { VoiceClient } from './support/voice-client.js'

const at = path => new URL(path, import.meta.url)
const [, code] = /## GPT-Live\n[^]*?```js\n([^]*?)```/.exec(readFileSync(at('../README.md'), 'utf8'))

const ofAgent = (word, ...steps) => ({
  when: { user: { contains: `The user asks for: ${word}` }, protocol: 'responses' },
  steps: steps.map(emit => ({ emit })),
})
const rules = [
  ofAgent('search', [call('kb_search', { query: 'audio' })], [say('Found: {{results.length}}.')]),
  ofAgent('broken', [{ error: { message: 'out of order' } }]),
  on({ contains: 'search' }, [call('work')]),
  on({ contains: 'broken' }, [call('work')]),
]

test('the agent of the README searches through the gate, and its answer is said once', async t => {
  const sim = await startSimulator({ scenario: { settings: { label: '', pieceChars: 400 }, rules } })
  const file = at('./readme-agent.mjs')
  Object.assign(process.env, { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${sim.url}/v1`, TOOLGATE_AUDIT: 'none' })
  writeFileSync(file, `${code}\nexport { server }`)
  t.after(() => rmSync(file))
  const { server } = await import(file)
  t.after(() => server.close())
  t.after(() => sim.close())
  const client = await VoiceClient.start(server.url)
  t.after(() => client.socket.terminate())
  const model = await sim.gptLive.whenConnected(1)
  model.hear('search for audio')
  const result = await client.next('toolResult')
  assert.deepEqual([result.name, result.ok], ['kb_search', true])
  await client.next(isSaid('Found: 1.'))
  await client.next('turnComplete')
  assert.equal(timesSaid(client, 'Found: 1.'), 1)
  model.hear('broken')
  await client.next(isSaid('What the user asked for failed.'))
  assert.deepEqual(sim.anomalies, [])
})
