// What the page of a voice call makes of the server's frames: progress and a lost outcome reach the card of their call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_LOG, extendLog } from '../dist/voice/voice-log.js'

const CALL = { id: 'call_1', name: 'pay', title: 'Pay' }
const REQUEST = { token: 't1', callId: 'call_1', expires: 1, tool: 'pay', args: {}, preview: 'Pay 5' }
const approve = { after: 0, type: 'decided', token: 't1', decision: 'approve', wishes: {} }
const play = events =>
  events.reduce(
    (log, event) =>
      extendLog(log, 'after' in event ? event : { after: 0, type: 'frame', frame: event, isPlaying: false }),
    EMPTY_LOG,
  )
const cardIn = log => log.entries.find(({ kind }) => kind === 'card')
const toolIn = log => log.entries.find(({ kind }) => kind === 'tool')
const asked = [
  { type: 'toolCall', turn: 1, ...CALL },
  { type: 'confirmation', request: REQUEST, title: 'Pay' },
]
const closed = { type: 'confirmationClosed', token: 't1', outcome: 'confirmed', by: 'elsewhere' }
const progress = text => ({ type: 'toolProgress', ...CALL, text })
const result = more => ({ type: 'toolResult', ...CALL, ...more })

test('progress is on the call, and on its card while it runs', () => {
  assert.equal(cardIn(play([...asked, progress('early')])).progress, undefined)
  const running = play([...asked, approve, progress('half'), progress('nearly')])
  assert.deepEqual([cardIn(running).progress, toolIn(running).progress], ['nearly', 'nearly'])
  const elsewhere = play([...asked, closed, progress('half')])
  assert.equal(cardIn(elsewhere).progress, 'half')
  const done = play([...asked, closed, result({ ok: true }), progress('late')])
  assert.deepEqual([cardIn(done).progress, toolIn(done).progress], [undefined, undefined])
  const other = play([...asked, approve, { ...progress('of another'), id: 'call_2' }])
  assert.equal(cardIn(other).progress, undefined)
})

test('a lost outcome is kept with the card', () => {
  const lost = result({ ok: false, errorType: 'CONFLICT', outcome: 'unknown' })
  assert.equal(cardIn(play([...asked, closed, lost])).state.result.outcome, 'unknown')
})
