// The state controller that a host keeps itself, under the older path.
import { createStateController } from '../../tools/_core/state-controller.js'

const SUPPRESS = { type: 'SUPPRESS_AUDIO', value: true }
const changes = state => state.history.map(({ field, value, isActive }) => [field, value, isActive])

test('while it is not active, intents are refused and change nothing', () => {
  const state = createStateController({ mode: 'voice', isActive: false })
  const before = state.snapshot()
  expect([state.apply(SUPPRESS), state.applyIntent({ type: 'END_VOICE_SESSION' })]).toEqual([false, false])
  expect(state.snapshot()).toEqual(before)
  expect(state.history).toEqual([])
  state.set('isActive', true)
  expect(state.apply(SUPPRESS)).toBe(true)
  expect(state.get('shouldSuppressAudio')).toBe(true)
})

test('the history says whether it was active', () => {
  const state = createStateController()
  state.set('topic', 'tea')
  state.apply(SUPPRESS)
  state.apply({ type: 'NO_SUCH_INTENT' })
  state.set('isActive', false)
  state.set('topic', 'milk')
  expect(changes(state)).toEqual([
    ['topic', 'tea', true],
    ['shouldSuppressAudio', true, true],
    ['isActive', false, false],
    ['topic', 'milk', false],
  ])
  state.history[0].value = 'changed by a reader'
  expect(state.history[0].value).toBe('tea')
})

test('the history keeps the last 200 changes', () => {
  const state = createStateController()
  for (let n = 0; n < 205; n++) state.set('n', n)
  expect([state.history.length, state.history[0].value, state.history.at(-1).value]).toEqual([200, 5, 204])
})
