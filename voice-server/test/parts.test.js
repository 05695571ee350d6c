// The server's parts on their own, where time or order matters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallRunner } from '../src/call-runner.js'
import { createOriginPolicy } from '../src/origin-policy.js'
import { RateBound } from '../src/rate-bound.js'
import { ResumptionShelf } from '../src/resumption-shelf.js'

import { createSessionCredentials } from '../src/session-credentials.js'
import { TurnTracker } from '../src/turn-tracker.js'
import { gateway } from './support/stage.js'

test('turns: the first sound after a turn begins one, text always does', () => {
  const turns = new TurnTracker()
  assert.deepEqual([turns.heard(), turns.heard()], [true, false])
  turns.completed()
  assert.equal(turns.heard(), true)
  turns.typed()
  assert.equal(turns.heard(), false)
  turns.completed()
  assert.equal(turns.isOpen, false)
})

test('turns: a voice that breaks in begins one turn, not two', () => {
  const turns = new TurnTracker()
  turns.heard()
  turns.modelSpoke()
  turns.interrupted()
  assert.equal(turns.heard(), true)
  turns.completed() // the provider closes the interrupted turn
  assert.equal(turns.heard(), false)
  turns.modelSpoke()
  turns.completed()
  assert.equal(turns.heard(), true)
})

test('turns: the end of a turn that typed text broke into does not end the new one', () => {
  const turns = new TurnTracker()
  turns.typed()
  turns.modelSpoke()
  turns.typed()
  turns.interrupted()
  turns.completed()
  assert.equal(turns.heard(), false)
  turns.modelSpoke()
  turns.completed()
  assert.equal(turns.heard(), true)
})

test('turns: an interruption that the provider never closes does not swallow the next end', () => {
  const turns = new TurnTracker()
  turns.heard()
  turns.interrupted()
  turns.heard()
  turns.modelSpoke()
  turns.completed()
  assert.equal(turns.heard(), true)
})

test('turns: one that was under way goes on after a reconnect', () => {
  assert.equal(new TurnTracker({ open: true }).heard(), false)
})

test('rate: what was not used is saved up to the burst, and no further', () => {
  let now = 0
  const bound = new RateBound({ perSecond: 2, burst: 3, now: () => now })
  assert.deepEqual([bound.take(), bound.take(2), bound.take()], [true, true, false])
  now = 500
  assert.deepEqual([bound.take(), bound.take()], [true, false])
  now = 60_000
  assert.deepEqual([bound.take(4), bound.take(3), bound.take()], [false, true, false])
})

test('origins', () => {
  const local = createOriginPolicy()
  const yes = [undefined, 'http://localhost', 'https://localhost:3000', 'http://127.0.0.1:8080', 'http://[::1]:3000']
  const no = ['null', '', 'localhost', 'http://localhost.evil.example', 'http://evil.example/localhost', 'http://127.0.0.1.evil.example', 'file://']
  assert.deepEqual([yes.map(local), no.map(local)], [yes.map(() => true), no.map(() => false)])
  const app = createOriginPolicy(['https://App.example/'])
  assert.deepEqual(['https://app.example', 'http://app.example', undefined, 'no-origin'].map(app), [true, false, false, false])
})

test('credentials: random names, tokens of one secret, and nothing of the token in the principal', () => {
  const credentials = createSessionCredentials('0123456789abcdef')
  const issued = credentials.issue()
  assert.equal(Buffer.from(issued.sessionId, 'base64url').length, 16)
  assert.notEqual(credentials.issue().sessionId, issued.sessionId)
  assert.deepEqual(credentials.check(issued.sessionId, issued.resumeToken), issued)
  assert.deepEqual(createSessionCredentials('0123456789abcdef').check(issued.sessionId, issued.resumeToken), issued)
  assert.equal(createSessionCredentials().check(issued.sessionId, issued.resumeToken), null)
  assert.ok(!issued.principal.includes(issued.resumeToken))
  assert.throws(() => createSessionCredentials('short'), /at least 16 bytes/)
})

test('the shelf gives an entry out once, and not for ever', () => {
  let now = 0
  const shelf = new ResumptionShelf({ now: () => now })
  shelf.keep('a', { handle: 'h', turnOpen: true })
  assert.deepEqual(shelf.take('a'), { handle: 'h', turnOpen: true })
  assert.deepEqual(shelf.take('a'), { handle: null, turnOpen: false })
  shelf.keep('a', { handle: 'h', turnOpen: true })
  now = 3 * 60 * 60 * 1000
  assert.deepEqual(shelf.take('a'), { handle: null, turnOpen: false })
})

test('server messages: everything of one message is read, whatever else is in it', () => {
  const message = {
    serverContent: {
      modelTurn: { parts: [{ inlineData: { mimeType: 'audio/pcm;rate=24000', data: 'AAAA' } }, { text: 'thinking', thought: true }, null, { inlineData: 7 }] },
      inputTranscription: { text: 'in' },
      outputTranscription: { text: 'out' },
      turnComplete: true,
    },
    sessionResumptionUpdate: { newHandle: 'h', resumable: true },
  }
  const { audio, ...rest } = readLiveContent(message)
  assert.deepEqual(audio, [Buffer.alloc(3)])
  assert.deepEqual(rest, { input: 'in', output: 'out', modelSpoke: true, interrupted: false, turnComplete: true, handle: 'h', goAway: false })
})

test('server messages: what is malformed is not there', () => {
  const nothing = { audio: [], input: null, output: null, modelSpoke: false, interrupted: false, turnComplete: false, handle: null, goAway: false }
  for (const message of [undefined, null, 7, 'x', [], {}, { serverContent: null }, { serverContent: { modelTurn: { parts: {} } } }, { serverContent: { interrupted: 'yes', turnComplete: 1 } }, { sessionResumptionUpdate: { newHandle: 'h' } }]) {
    assert.deepEqual(readLiveContent(message), nothing)
  }
})

test('a call that is cancelled while its turn still begins never runs', async () => {
  const begun = gateway()
  const admitted = []
  const session = {
    cancel: () => false,
    executeAll: async (calls) => {
      admitted.push(...calls)
      return calls.map(() => ({ ok: true, data: {}, intents: [], meta: {} }))
    },
  }
  const sent = []
  const runner = new CallRunner({ session, metadataOf: () => null, tell: () => {}, turnBegun: () => begun.opened, onAnswered: () => {} })
  const calls = [{ id: 'function-call-1111111111', name: 'slow_read', args: {} }, { id: 'function-call-2222222222', name: 'slow_read', args: {} }]
  const running = runner.run(calls, { sendToolResults: (answers) => sent.push(...answers.map(({ id }) => id)) })
  runner.cancel([calls[0].id])
  begun.open()
  await running
  assert.deepEqual([admitted, sent], [[calls[1]], [calls[1].id]])
})
