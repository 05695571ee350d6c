// How the number of voice sessions is found. What a core serves is for the benchmark to show.
import { loadOf, mostServed, shareOfBusy, voiceLines } from '../../bench/voice.mjs'
import { sampleLoad, sampleResults } from './results-sample.mjs'

const servesUpTo = limit => {
  const tried = []
  const serve = async sessions => {
    tried.push(sessions)
    return sessions <= limit
  }
  return { tried, serve }
}

test('large steps find where it ends, small ones how far it goes', async () => {
  const { tried, serve } = servesUpTo(260)
  expect(await mostServed(serve)).toBe(250)
  expect(tried).toEqual([100, 200, 300, 250, 275])
})

test.each([
  [0, 0],
  [25, 25],
  [99, 75],
  [5000, 1000],
])('with a limit of %i it is %i', async (limit, most) => {
  expect(await mostServed(servesUpTo(limit).serve)).toBe(most)
})

test.each([
  ['is late', { eventLoopDelayMs: { p50: 10, p95: 20, p99: 30, max: 40 } }],
  ['lost an answer', { lost: 1 }],
  ['closed a socket', { failures: ['closed with 1011'] }],
  ['ran a call twice', { executed: 151 }],
  ['waited for too many answers', { asked: 140, executed: 140 }],
])('sessions are not served by a server that %s', (_what, changes) => {
  expect(loadOf(sampleLoad(100)).isServed).toBe(true)
  expect(loadOf(sampleLoad(100, changes)).isServed).toBe(false)
})

test('how late the loop is does not include the time between two looks', () => {
  expect(loadOf(sampleLoad(100)).lateMs).toEqual({ p50: 0, p95: 2, p99: 5 })
})

test('of the profile, the time in which the thread waited is left out', () => {
  expect(shareOfBusy({ idle: 0.5, gate: 0.1, sockets: 0.4 })).toEqual({ gate: 0.2, sockets: 0.8 })
})

test('the loads are told with what was not served', () => {
  const lines = voiceLines(sampleResults().voice)
  expect(lines[0]).toContain('each with sound and a call every 2 s, 2 s after 1 s of warm-up: 100 with')
  expect(lines[1]).not.toContain('NOT SERVED')
  expect(lines[2]).toContain(
    ' 200: answer 5 / 20 / 40 ms, event loop late 0 / 2 / 40 ms (p50 / p95 / p99), 50 % of a core',
  )
  expect(lines[2]).toContain('NOT SERVED')
  expect(voiceLines({ ...sampleResults().voice, missing: ['no core'] })).toEqual(['skipped: voice sessions: no core'])
})
