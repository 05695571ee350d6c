// What the model has taken up of what was sent to it: by which of its words, calls and turns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConversationMemory } from '../src/providers/conversation-memory.js'
import { GeminiLink } from '../src/providers/gemini/gemini-link.js'
import { GptLiveLink } from '../src/providers/gpt-live/gpt-live-link.js'
import { TurnReceipts } from '../src/providers/gemini/turn-receipts.js'

test('receipts of turns: words about something earlier are not about what was sent meanwhile', () => {
  const receipts = new TurnReceipts()
  const words = { modelSpoke: true, hasCalls: false, isOver: false }
  const end = { modelSpoke: false, hasCalls: false, isOver: true }
  assert.deepEqual(receipts.sent(), [])
  const [key] = receipts.sent()
  assert.deepEqual([receipts.heard(words), receipts.heard(end)], [[], [key]])
  // The next turn is about the second text: one that is sent during it waits for its end.
  const [next] = receipts.sent()
  assert.notEqual(next, key)
  assert.deepEqual([receipts.heard({ ...words, hasCalls: true }), receipts.heard(end)], [[next], []])
  receipts.sent()
  receipts.reset()
  assert.deepEqual(receipts.sent(), [])
})

test('texts: one that was typed without a connection is not acknowledged by words of the model', () => {
  const link = new GeminiLink({ handle: null, settings: { model: 'any' }, config: {} })
  link.sendText(['typed while it reconnects'])
  link.modelSpoke()
  assert.deepEqual([link.hasUnacknowledged, link.answerable], [true, []])
})

test('gpt-live: a text is taken by words or by given calls, and remembered then; not by a response that only began', async () => {
  class ScriptedLink extends GptLiveLink {
    async connect() {
      return {
        send() {},
        sendNamed: ({ type }) => type,
        sendText() {},
        close() {},
        fixtureEnd: () => null,
        fixture: null,
      }
    }
  }
  const handle = new ConversationMemory()
  const open = async () => {
    const link = new ScriptedLink({
      handle,
      settings: {},
      config: { delegation: { type: 'responses' } },
      onMessage() {},
    })
    await link.open()
    return link
  }
  const inner = event => ({ type: 'response.event', delegation_id: 'd', event })
  const item = { type: 'function_call', call_id: 'call_1', name: 'note_save', arguments: '{}' }
  const began = [inner({ type: 'response.created', response: {} }), inner({ type: 'response.output_item.done', item })]
  for (const [text, end, calls] of [
    ['spoken', { type: 'session.output_transcript.delta', delta: 'hi' }, []],
    ['called', inner({ type: 'response.completed', response: {} }), [{ id: 'call_1', name: 'note_save', args: '{}' }]],
  ]) {
    const link = await open()
    link.sendText([text])
    const receive = (message, given = []) => {
      const heard = link.read(message)
      link.received(heard.receipts)
      link.collectCalls(given)
      if (heard.modelSpoke) link.modelSpoke()
    }
    for (const message of began) receive(message)
    assert.deepEqual([link.hasUnacknowledged, handle.entries.some(entry => entry.text === text)], [true, false])
    receive(end, calls)
    assert.deepEqual([link.hasUnacknowledged, handle.entries.some(entry => entry.text === text)], [false, true])
    link.close()
  }
  assert.deepEqual(
    handle.entries.map(({ role, text }) => [role, text]),
    [
      ['user', 'spoken'],
      ['assistant', 'hi'],
      ['user', 'called'],
    ],
  )
})
