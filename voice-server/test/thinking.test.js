// A wait for a tool is not silent: a frame and a line, which no speech overlaps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedLines, linesOf } from '../src/audio/audible-line.js'
import { Thinking } from '../src/conversation/thinking.js'
import { call, latch, on, say, startFixture } from './support/fixture.js'

/** A wait with a clock that the test moves on by `after`; `heard`: [time, what] of the lines and of the state. */
function waiting({ afterMs = 2000, repeatMs = 8000 } = {}) {
  let [now, look] = [0, () => {}]
  const state = { isQuiet: true, heard: [] }
  const thinking = new Thinking({
    afterMs,
    repeatMs,
    isQuiet: () => state.isQuiet,
    show: active => state.heard.push([now, active]),
    sayLine: () => state.heard.push([now, 'line']),
    now: () => now,
    every: act => void (look = act),
  })
  const after = ms => {
    for (const end = now + ms; now < end;) {
      now += 100
      look()
    }
  }
  return { thinking, state, after }
}

test('a line after two seconds of silence, again every eight, and none after the end', () => {
  const { thinking, state, after } = waiting()
  thinking.begin('a')
  after(1900)
  assert.deepEqual(state.heard, [])
  after(17_000)
  thinking.end('a')
  assert.deepEqual(state.heard, [
    [2000, true],
    [2000, 'line'],
    [10_000, 'line'],
    [18_000, 'line'],
    [18_900, false],
  ])
})

test('a short call is silent', () => {
  const { thinking, state, after } = waiting()
  thinking.begin('a')
  after(1500)
  thinking.end('a')
  assert.deepEqual(state.heard, [])
})

test('speech puts the line off until there was silence for as long', () => {
  const { thinking, state, after } = waiting()
  thinking.begin('a')
  state.isQuiet = false
  after(5000)
  assert.deepEqual(state.heard, [[2000, true]])
  state.isQuiet = true
  after(1900)
  assert.equal(state.heard.length, 1)
  after(100)
  assert.deepEqual(state.heard[1], [7000, 'line'])
})

test('calls that overlap are one wait, and 0 switches it off', () => {
  const both = waiting()
  both.thinking.begin('a')
  both.after(1000)
  both.thinking.begin('b')
  both.after(1000)
  both.thinking.end('a')
  both.after(1000)
  both.thinking.end('b')
  assert.deepEqual(both.state.heard, [
    [2000, true],
    [2000, 'line'],
    [3000, false],
  ])
  const off = waiting({ afterMs: 0 })
  off.thinking.begin('a')
  off.after(30_000)
  off.thinking.end('a')
  assert.deepEqual(off.state.heard, [])
})

test('the setting is a sound, nothing or a sentence', () => {
  const read = text => linesOf({ TOOLGATE_VOICE_FILLER: text })
  assert.deepEqual([read(undefined), read(''), read('sound')], [undefined, undefined, undefined])
  assert.deepEqual([read('off'), read('One moment.')], [{ thinking: false }, { thinking: 'One moment.' }])
  assert.throws(() => checkedLines({ thinking: ' ' }), /must be a sentence/)
})

const rules = [on('read', [call('slow_read')], [say('Found it.')])]
const limits = { thinkingMs: 100, thinkingRepeatMs: 60_000 }

for (const provider of ['gemini', 'openai']) {
  for (const [lines, text, hasSound] of [
    [{}, null, true],
    [{ thinking: 'One moment.' }, 'One moment.', false],
  ]) {
    test(`${provider}: the client hears ${text ?? 'a sound'} while the tool runs, once, and then the answer`, async t => {
      const released = latch()
      const slow_read = async () => {
        await released.opened
        return { ok: true, data: {} }
      }
      const { start } = await startFixture(t, { provider, rules, handlers: { slow_read }, server: { limits, lines } })
      const client = await start()
      client.say('read')
      assert.deepEqual(await client.next('thinking'), { type: 'thinking', active: true, turn: 1 })
      assert.deepEqual(await client.next('line'), { type: 'line', kind: 'thinking', text })
      if (hasSound) assert.ok((await client.next('audio')).bytes > 0)
      assert.equal(client.ofType('audio').length, hasSound ? 1 : 0)
      released.open()
      assert.equal((await client.next('thinking')).active, false)
      await client.next(({ type, text: said }) => type === 'transcript' && said === 'Found it.')
      await client.next('turnComplete')
      assert.deepEqual([client.ofType('line').length, client.ofType('thinking').length], [1, 2])
    })
  }

  test(`${provider}: without a line the state is shown alone`, async t => {
    const released = latch()
    const slow_read = async () => {
      await released.opened
      return { ok: true, data: {} }
    }
    const server = { limits, lines: { thinking: false } }
    const { start } = await startFixture(t, { provider, rules, handlers: { slow_read }, server })
    const client = await start()
    client.say('read')
    await client.next('thinking')
    released.open()
    await client.next('turnComplete')
    assert.deepEqual([client.ofType('line'), client.ofType('thinking').length], [[], 2])
  })
}
