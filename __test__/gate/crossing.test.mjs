// Texts and numbers on their way into native code and back: nothing is cut, joined or changed, whatever their length and
// letters, and a native function that is called wrongly says so and lives on.
import { createRequire } from 'node:module'

import { openGate } from '../support/gate.mjs'

const native = createRequire(import.meta.url)('../../native.js')

const text = { type: 'string', maxLength: 100_000 }
/** A gate whose handler sees what crossed and gives it back. */
async function echoing() {
  const lines = []
  const seen = []
  const { session } = await openGate(
    { echo: { properties: { text }, execute: ({ args, meta }) => { seen.push({ text: args.text, meta }); return { ok: true, data: args.text } } } },
    { audit: line => lines.push(line) },
  )
  return { lines, seen, s: await session({ policy: { totalCalls: 1e4, retrievalCalls: 1e4, resultLimitBytes: 1e6 } }) }
}

/** Characters of one to four bytes, those of four being two units. */
const LETTERS = ['a', 'ü', '€', '😀']
/** Around the length up to which a text is read in one go, and well above it. */
const LENGTHS = [0, 1, 3, ...Array.from({ length: 16 }, (_, n) => 1000 + n * 2), 1023, 1024, 1025, 3000, 70_000]

test.each(LETTERS)('texts of %s cross whole, at every length', async letter => {
  const { s, seen, lines } = await echoing()
  const texts = LENGTHS.flatMap(length => [letter.repeat(length / letter.length), 'x'.repeat(length) + letter, letter + 'x'.repeat(length)])
  for (const [n, sent] of [...new Set(texts)].entries()) {
    await s.beginTurn()
    const id = `${letter} ${n}`
    const answer = await s.execute({ id, name: 'echo', args: JSON.stringify({ text: sent }) })
    expect(answer.ok && answer.data === sent).toBe(true)
    expect(seen.at(-1).text === sent).toBe(true)
    expect(seen.at(-1).meta.callId).toBe(id)
  }
  expect(seen.length).toBeGreaterThan(50)
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
})

test('half characters outside of the arguments become U+FFFD, and the call goes on', async () => {
  const { s, seen } = await echoing()
  await s.execute({ id: 'half \ud800', name: 'echo', args: { text: 'a' } })
  expect(seen.at(-1).meta.callId).toBe('half \ufffd')
  expect(await s.execute({ name: 'echo\udc00', args: {} })).toMatchObject({ ok: false, error: { type: 'NOT_FOUND' } })
})

test('what looks like the form of a letter is text', async () => {
  const { s, seen } = await echoing()
  for (const sent of ['A1,2:ab', '0:', ',:,:', 'S1,1,4:echo2:{}2:{}', '\n12:\0']) {
    expect(await s.execute({ id: sent, name: 'echo', args: { text: sent } })).toMatchObject({ ok: true, data: sent })
    expect(seen.at(-1)).toMatchObject({ text: sent, meta: { callId: sent, deadline: expect.any(Number), clamped: [] } })
  }
})

test('a native function that is called wrongly throws and does nothing', async () => {
  const made = []
  const { prototype } = native.NativeSession
  const { executing } = prototype
  prototype.executing = function () {
    made.push(executing.call(this))
    return made.at(-1)
  }
  try {
    const { s, seen } = await echoing()
    const [execute] = made
    for (const wrong of [[], ['1', null, 'echo', '{}'], [1, null, 7, '{}'], [1, null, 'echo', {}], [Symbol('1')], [1]]) {
      expect(() => execute(...wrong)).toThrow(/^a call is a ticket/)
    }
    expect(seen).toEqual([])
    // It carries its session with it: `this` and anything beyond its arguments are not looked at.
    expect(execute.call({}, 1, 'id', 'echo', '{"text":"a"}', null, 'more')).toMatch(/^L\d+:|^S/)
    expect(await s.execute({ name: 'echo', args: { text: 'b' } })).toMatchObject({ ok: true })
  } finally {
    prototype.executing = executing
  }
})

test('a function of a session outlives it', async () => {
  const { s } = await echoing()
  await s.end()
  expect(await s.execute({ name: 'echo', args: { text: 'a' } })).toMatchObject({ error: { type: 'SESSION_INACTIVE' } })
})
