// What a goal says of figures. No goal is asserted here: that they hold is for a benchmark to show.
import { evaluateGoals, goals } from '../../bench/goals.mjs'
import { sampleMachine, sampleResults } from './results-sample.mjs'

const startingWith = (evaluated, title) => evaluated.find(goal => goal.title.startsWith(title))

test('a goal holds at its limit and on the right side of it', () => {
  const goal = (limit, value) =>
    evaluateGoals({ value }, [{ title: 'it', unit: 'ratio', ...limit, read: results => results.value }])[0].holds
  expect([0.49, 0.5, 0.51].map(value => goal({ atMost: 0.5 }, value))).toEqual([true, true, false])
  expect([4.9, 5, 5.1].map(value => goal({ atLeast: 5 }, value))).toEqual([false, true, true])
})

test('what was not measured neither holds nor is missed', () => {
  const empty = evaluateGoals({
    machine: sampleMachine({ addon: { id: 'a', bytes: 1, strippedBytes: 1, build: 'development' } }),
    cases: [],
    peers: null,
  })
  expect(empty).toHaveLength(goals.length)
  for (const { measured, holds } of empty) expect([measured, holds]).toEqual([null, null])
  const [{ holds }] = evaluateGoals({ value: NaN }, [
    { title: 'it', unit: 'ms', atMost: 1, read: results => results.value },
  ])
  expect(holds).toBeNull()
})

test('each goal reads its own figure', () => {
  const evaluated = evaluateGoals(sampleResults())
  const found = title => {
    const { measured, holds } = startingWith(evaluated, title)
    return [measured, holds]
  }
  expect(found('small text arguments, content hash')).toEqual(['0.60', false])
  expect(found('small text arguments, provider id')).toEqual(['0.33', true])
  expect(found('what the gateway adds')).toEqual(['2.0 µs', true])
  expect(found('the same: of what the naive')).toEqual(['0.20', true])
  expect(found('event loop stalled')).toEqual(['0.10', false])
  expect(found('start-up')).toEqual(['0.022', true])
  expect(found('resident memory')).toEqual(['0.50', false])
  expect(found('OpenAI Agents')).toEqual(['6.0 ×', true])
  expect(found('LangChain')).toEqual(['5.0 ×', true])
  expect(found('MCP')).toEqual(['12.0 ×', true])
  expect(found('AI SDK')).toEqual(['15.0 ×', true])
  expect(found('file store, 1 in flight: of the writes of `node:sqlite`')).toEqual(['0.50', false])
  expect(found('file store, 64 in flight: of the writes of `node:sqlite`')).toEqual(['3.00', true])
  expect(found('file store, two processes')).toEqual(['40.0 ms', true])
  expect(found('redis store, 64 in flight: of the writes of ioredis')).toEqual(['0.25', false])
  expect(found("file store, 64 in flight: of the writes of BullMQ's jobs")).toEqual(['9.00', true])
  expect(found("file store, 64 in flight: of the writes of DBOS's steps")).toEqual(['15.00', false])
  expect(found('creating a session: beyond 10,000')).toEqual(['1.10', true])
  expect(found('creating a session: among 100,000')).toEqual(['2.50', false])
  expect(found('a write on the file store: after 1,900 records')).toEqual(['1.10', true])
  expect(found('a write on the redis store: after 1,900 records')).toEqual(['1.50', false])
  expect(found('memory of an idle session')).toEqual(['5.0 KB', true])
  expect(found('memory of a record')).toEqual(['0.7 KB', false])
  expect(found('memory that new sessions take')).toEqual(['0.13', true])
  expect(found('instructions of a small call')).toEqual(['20000', false])
  expect(found('voice sessions on one core')).toEqual(['100', false])
  expect(found('an unknown tool name')).toEqual(['30.0 µs', true])
  expect(found('a pattern')).toEqual(['0.012 ms', true])
  expect(found('the addon')).toEqual(['12.0 MB', true])
  expect(found('200 KB text')).toEqual([null, null])
})

test("the size of a build for tests is no release's", () => {
  const results = sampleResults()
  results.machine.addon.build = 'development'
  expect(startingWith(evaluateGoals(results), 'the addon').holds).toBeNull()
})
