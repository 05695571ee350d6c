// OpenAI Realtime: responses outside of the conversation, through the real `openai` client over wss.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectRealtime, saidIn, simulateRealtime } from './realtime-client.mjs'

const plain = (rules, more = {}) => ({ settings: { label: '', pieceChars: 5 }, rules, ...more })
const say = text => ({ emit: [{ say: text }] })
const typesOf = events => events.map(({ type }) => type)

test('a response outside of the conversation answers its own input and leaves nothing behind', async t => {
  const sim = await simulateRealtime(t, plain([{ steps: [say('{{user}}, {{turn}}')] }]))
  const client = await connectRealtime(t, sim)
  client.say('hi')
  await client.untilDone()
  const content = [{ type: 'input_text', text: 'read this' }]
  const input = [{ type: 'message', role: 'user', content }]
  client.send({ type: 'response.create', response: { conversation: 'none', input, metadata: { purpose: 'test' } } })
  const events = await client.untilDone()
  const { response } = events.at(-1)
  assert.equal(saidIn(events), 'read this, 1')
  assert.deepEqual([response.conversation_id, response.metadata], [null, { purpose: 'test' }])
  assert.ok(!typesOf(events).some(type => type.startsWith('conversation.')))
  client.send({ type: 'conversation.item.retrieve', item_id: response.output[0].id })
  assert.equal((await client.last('error')).error.code, 'invalid_item_id')
})
