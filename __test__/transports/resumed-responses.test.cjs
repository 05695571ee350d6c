'use strict'
// Streams of Responses that are resumed (`starting_after`): their events come again, or go on after a gap. And items that share a place.
const { readEvents } = require('./support/read-events.cjs')

const [ID, NAME, ARGS] = ['call_abcdefgh01', 'kb_search', '{"query":"rust"}']
const item = (rest = {}) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: ID,
  name: NAME,
  arguments: ARGS,
  status: 'completed',
  ...rest,
})
const other = (rest = {}) => item({ id: 'fc_2', call_id: 'call_abcdefgh02', ...rest })
const CALL = { id: ID, name: NAME, args: ARGS }
const OTHER = { ...CALL, id: 'call_abcdefgh02' }
const begun = { arguments: '', status: 'in_progress' }
const created = (id = 'resp_1') => ({ type: 'response.created', response: { id, status: 'in_progress', output: [] } })
const added = (one = item(begun), output_index = 0) => ({ type: 'response.output_item.added', output_index, item: one })
const delta = text => ({
  type: 'response.function_call_arguments.delta',
  output_index: 0,
  item_id: 'fc_1',
  delta: text,
})
const done = (one, output_index = 0) => ({ type: 'response.output_item.done', output_index, item: one })
const completed = (output = [], id = 'resp_1') => ({
  type: 'response.completed',
  response: { id, object: 'response', status: 'completed', output },
})
const numbered = (events, from = 0) => events.map((event, at) => ({ ...event, sequence_number: from + at }))

function read(events) {
  const { calls, problems } = readEvents(events)
  return { calls, problems }
}
const [FIRST, SECOND] = [ARGS.slice(0, 5), ARGS.slice(5)]
/** A server that sends the arguments in deltas alone. */
const ALL = numbered([created(), added(), delta(FIRST), delta(SECOND), done(item({ arguments: '' })), completed()])
const [GIVEN, MISSING] = [
  { calls: [CALL], problems: [] },
  { calls: [], problems: [`\`${NAME}\` not run: a part of its arguments is missing`] },
]

describe('events that come again', () => {
  test.each([1, 2, 3, 4, 5])('after %i of them, from the first one', count => {
    expect(read([...ALL.slice(0, count + 1), ...ALL])).toEqual(GIVEN)
  })

  test('from one in the middle, and the end', () => {
    expect(read([...ALL.slice(0, 4), ...ALL.slice(2)])).toEqual(GIVEN)
    expect(read([...ALL, ...ALL.slice(4)]).calls).toEqual([CALL])
  })

  test('are another response by its id, or if the numbers do not count', () => {
    const dropped = `\`${NAME}\` not run: another response began before this one ended`
    const next = [{ ...created('resp_2'), sequence_number: 0 }, ...ALL.slice(1, 5), completed([], 'resp_2')]
    expect(read([...ALL.slice(0, 4), ...next])).toEqual({ calls: [CALL], problems: [dropped] })
    const constant = ALL.map(event => ({ ...event, sequence_number: 0 }))
    expect(read(constant)).toEqual(GIVEN)
    expect(read([...constant.slice(0, 4), ...constant])).toEqual({ calls: [CALL], problems: [dropped] })
  })

  test('are two readings if they have another call', () => {
    const changed = numbered([created(), added(other(begun)), ...ALL.slice(2)])
    expect(read([...ALL.slice(0, 4), ...changed])).toEqual({
      calls: [],
      problems: [`\`${NAME}\`, \`${NAME}\` not run: two output items have one place`],
    })
  })
})

describe('a gap', () => {
  test('in the arguments gives no call, unless another event has them whole', () => {
    const gap = ALL.toSpliced(3, 1)
    expect(read(gap)).toEqual(MISSING)
    expect(read(gap.with(-1, { ...gap.at(-1), ...completed([item()]) }))).toEqual(GIVEN)
    expect(read(gap.with(-2, { ...gap.at(-2), ...done(item()) }))).toEqual(GIVEN)
  })

  test('after what was whole changes nothing', () => {
    const events = numbered([created(), added(), delta(ARGS), done(item()), added(other(begun), 1), done(other(), 1)])
    const end = { ...completed(), sequence_number: 6 }
    expect(read([...events.toSpliced(4, 1), end])).toEqual({ calls: [CALL, OTHER], problems: [] })
  })

  test('before the first event that is read: another process goes on', () => {
    expect(read(ALL.slice(3))).toEqual(MISSING)
    const whole = numbered([delta(SECOND), done(item()), completed()], 3)
    expect(read(whole)).toEqual(GIVEN)
    expect(read(numbered([delta(SECOND), completed([item()])], 3))).toEqual(GIVEN)
    const nameless = { calls: [], problems: ['a part of the arguments belongs to no call'] }
    expect(read(numbered([delta(SECOND), completed()], 3))).toEqual(nameless)
  })
})

describe('another call in one place', () => {
  test('while it is open has two readings', () => {
    const events = [created(), added(), delta(FIRST), added(other(begun)), delta(SECOND)]
    const problems = [`\`${NAME}\`, \`${NAME}\` not run: two output items have one place`]
    expect(read([...events, completed()])).toEqual({ calls: [], problems })
  })

  test('is the next one after its end', () => {
    const events = [created(), added(), delta(ARGS), done(item()), added(other(begun)), delta(ARGS), done(other())]
    expect(read([...events, completed()])).toEqual({ calls: [CALL, OTHER], problems: [] })
    expect(read([...events, completed([item(), other()])])).toEqual({ calls: [CALL, OTHER], problems: [] })
  })

  test('is the same one if its beginning comes again', () => {
    expect(read([created(), added(), added(), delta(ARGS), done(item()), completed()])).toEqual(GIVEN)
  })
})
