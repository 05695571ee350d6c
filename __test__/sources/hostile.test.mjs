// Servers that misbehave in a call: which answer its caller gets, what of a write is known, and that another source is still
// answered meanwhile.
import { eventually } from '../support/gate.mjs'
import { Source, TOOLS_SERVER, hostile, lockOf, outcome, withDefaults } from './support.mjs'

/** After a request was sent, a write's outcome is unknown. */
const UNKNOWN = { type: 'TRANSIENT', retryable: false, partialSideEffects: true }
const NOTHING_RAN = { type: 'TRANSIENT', retryable: true }
const WRONG_ANSWER = { type: 'PERMANENT', retryable: false, partialSideEffects: true }
/** A caller that gives up once the server has had its call for a while: what it does with it is done by then. */
function impatient(source, patienceMs = 200) {
  const caller = new AbortController()
  const givesUp = () => setTimeout(() => caller.abort(), patienceMs)
  eventually(() => source.calls() > 0, 'the call').then(givesUp, givesUp)
  return { signal: caller.signal }
}
const reported = () => ({ progress: () => {} })

let healthy
beforeAll(async () => {
  const config = withDefaults({ transport: { command: process.execPath, args: [TOOLS_SERVER] } })
  healthy = new Source('healthy', config, { locked: await lockOf(config) })
})
afterAll(() => healthy.close())
const added = () =>
  healthy.call('add', { a: 1, b: 2 }, { sessionId: 's', signal: new AbortController().signal, writes: false })

/** Calls the hostile source, and the healthy one until that has ended. */
async function called(source, options) {
  let isOver = false
  const ended = outcome(source.call('pay', { amount: 5 }, options)).finally(() => {
    isOver = true
  })
  do {
    expect((await added()).structuredContent).toEqual({ sum: 3 })
    await new Promise(resolve => setTimeout(resolve, 5))
  } while (!isOver)
  return ended
}

test.each([
  ['result-100mb', UNKNOWN, /more than 4194304 bytes/, 1],
  ['result-9mb', UNKNOWN, /more than 4194304 bytes/, 0],
  ['dies-in-write', UNKNOWN, /the program ended/, 1],
  ['closes-input', UNKNOWN, undefined, 0, impatient],
  ['ping-flood', UNKNOWN, /more than 200 unasked messages/, undefined],
  ['progress-flood', UNKNOWN, /more than 2000 reports/, undefined, reported],
  ['deep-json', UNKNOWN, /nested more than 512/, 0],
  ['wrong-id', UNKNOWN, undefined, 0, impatient],
  ['text-id', UNKNOWN, undefined, 0, impatient],
  ['never-answers', UNKNOWN, undefined, 0, impatient],
  ['endless-progress', UNKNOWN, undefined, 0, source => ({ ...impatient(source), ...reported() })],
  ['wrong-shape', WRONG_ANSWER, /`content` is not a list/, 0],
  ['wrong-block', WRONG_ANSWER, /`content\[0\]` is not a content block/, 0],
  ['no-result', WRONG_ANSWER, /`content` is not a list/, 0],
  ['wrong-error', WRONG_ANSWER, /`content` is not a list/, 0],
  ['fails-inside', WRONG_ANSWER, /broke in the middle/, 0],
  ['refuses', { type: 'VALIDATION', retryable: false }, /no such amount/, 0],
  ['unknown-method', { type: 'PERMANENT', retryable: false }, /no such method/, 0],
  ['exits-at-once', { ...NOTHING_RAN, retryAfterMs: 100 }, /can't be reached/, 0],
])('%s', async (behaviour, expected, message, paid, options = () => ({})) => {
  const source = await hostile(behaviour)
  const { message: said, details: _, ...told } = await called(source, options(source))
  expect(told).toEqual(expected)
  if (message !== undefined) expect(said).toMatch(message)
  if (paid !== undefined) expect(source.effects()).toBe(paid)
})

test.each([
  ['two-answers', 'first', /an answer without a request/],
  ['stderr-flood', 'paid'],
  ['garbage-lines', 'paid', /not JSON/],
  ['asks-for-password', '{"action":"decline"}'],
  ['asks-for-completion', 'refused: -32601'],
])('%s: answered all the same', async (behaviour, text, logged = undefined) => {
  const source = await hostile(behaviour)
  expect(await called(source)).toEqual({ text })
  if (logged !== undefined)
    await eventually(() => source.log.some(({ error }) => logged.test(error)), 'the entry of the log')
})

test('the error output is drained, and 64 KiB of it are logged', async () => {
  const { call, log } = await hostile('stderr-flood')
  expect(await outcome(call('pay'))).toEqual({ text: 'paid' })
  const kept = log.map(({ stderr }) => stderr ?? '').join('')
  expect(kept).toHaveLength(64 * 1024)
})

test('answers whose ids are swapped on one connection cannot be told apart', async () => {
  const { call } = await hostile('swapped-ids')
  const both = await Promise.all([outcome(call('pay')), outcome(call('pay'))])
  expect(both.map(({ text }) => text).sort()).toEqual(['first', 'second'])
})

test('a late answer of a cancelled call is dropped: the server has paid, and the outcome is unknown', async () => {
  const source = await hostile('answers-after-cancel')
  const cancelled = new AbortController()
  const pending = outcome(source.call('pay', {}, { signal: cancelled.signal }))
  await eventually(() => source.calls() > 0, 'the call')
  cancelled.abort()
  expect(await pending).toMatchObject(UNKNOWN)
  await eventually(() => source.effects() === 1, 'the payment')
  await eventually(() => source.log.some(({ error }) => /without a request/.test(error)), 'the entry of the log')
})

test('reports of progress are thinned to 50 a second, and an endless stream of them ends with the caller', async () => {
  const source = await hostile('endless-progress')
  const reports = []
  const { signal } = impatient(source, 900)
  expect(await outcome(source.call('pay', {}, { signal, progress: () => reports.push(Date.now()) }))).toMatchObject(
    UNKNOWN,
  )
  expect(reports.length).toBeGreaterThan(0)
  const seconds = Math.floor((reports.at(-1) - reports[0]) / 1000)
  expect(reports.length).toBeLessThanOrEqual(50 * (seconds + 2))
})

test('a read whose answer is lost can be called again', async () => {
  const { call } = await hostile('dies-once')
  const lost = await outcome(call('pay', {}, { writes: false }))
  expect(lost).toMatchObject({ type: 'TRANSIENT', retryable: true })
  expect(lost).not.toHaveProperty('partialSideEffects')
  const early = await outcome(call('pay', {}, { writes: false }))
  expect(early).toMatchObject(NOTHING_RAN)
  expect(early.retryAfterMs).toBeLessThanOrEqual(100)
  await eventually(async () => (await outcome(call('pay', {}, { writes: false }))).text === 'paid', 'the restart')
})

test('a question that comes during a call is put to its caller', async () => {
  const asked = []
  const onQuestion = params => {
    asked.push(params.message)
    return { action: 'accept', content: { password: 'no' } }
  }
  const source = await hostile('asks-for-password')
  expect(await outcome(source.call('pay', {}, { onQuestion }))).toEqual({
    text: '{"action":"accept","content":{"password":"no"}}',
  })
  expect(asked).toEqual(['Your password, please'])
  const failing = await hostile('asks-for-password')
  const fails = () => {
    throw new Error('a secret of the host')
  }
  expect(await outcome(failing.call('pay', {}, { onQuestion: fails }))).toEqual({ text: '{"action":"cancel"}' })
  const declining = await hostile('asks-for-password', { elicitation: 'decline' })
  expect((await outcome(declining.call('pay', {}, { onQuestion }))).text).toMatch(/-32601/)
})
