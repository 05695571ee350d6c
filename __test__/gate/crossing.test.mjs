// Texts and numbers on their way into native code and back: nothing is cut, joined or changed, whatever their length and
// letters, and a native function that is called wrongly says so and lives on.
import { createRequire } from 'node:module'

import { gateway, openGate } from '../support/gate.mjs'

const native = createRequire(import.meta.url)('../../native.js')

const text = { type: 'string', maxLength: 100_000 }
/** A gate whose handler sees what crossed and gives it back. */
async function echoing() {
  const lines = []
  const seen = []
  const { session } = await openGate(
    {
      echo: {
        properties: { text },
        execute: ({ args, meta }) => {
          seen.push({ text: args.text, meta })
          return { ok: true, data: args.text }
        },
      },
    },
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
  const texts = LENGTHS.flatMap(length => [
    letter.repeat(length / letter.length),
    'x'.repeat(length) + letter,
    letter + 'x'.repeat(length),
  ])
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

test('a half character in an id is refused, and in a name it is that of no tool', async () => {
  const { s } = await echoing()
  expect(await s.execute({ id: 'half \ud800', name: 'echo', args: { text: 'a' } })).toMatchObject({
    ok: false,
    error: { type: 'VALIDATION' },
  })
  expect(await s.execute({ name: 'echo\udc00', args: {} })).toMatchObject({ ok: false, error: { type: 'NOT_FOUND' } })
})

test('what looks like the form of a letter is text', async () => {
  const { s, seen } = await echoing()
  for (const sent of ['A1,2:ab', '0:', ',:,:', 'S1,1,4:echo2:{}2:{}', '\n12:\0']) {
    expect(await s.execute({ id: sent, name: 'echo', args: { text: sent } })).toMatchObject({ ok: true, data: sent })
    expect(seen.at(-1)).toMatchObject({ text: sent, meta: { callId: sent, deadline: expect.any(Number), clamped: [] } })
  }
})

/** Two texts that are large: one of ASCII, one of everything. */
const LARGE = ['x'.repeat(60_000), LETTERS.join('').repeat(10_000)]

test.each(LARGE)('large arguments reach the handler as they came (%#)', async sent => {
  const seen = []
  const { session } = await openGate({
    take: {
      properties: { text },
      execute: ({ args }) => {
        seen.push(args.text === sent)
        return { ok: true }
      },
    },
  })
  const s = await session()
  for (const args of [
    { text: sent },
    JSON.stringify({ text: sent }, null, 2),
    Buffer.from(JSON.stringify({ text: sent })),
  ]) {
    await s.beginTurn()
    expect(await s.execute({ name: 'take', args })).toMatchObject({ ok: true })
  }
  expect(seen).toEqual([true, true, true])
})

test('large arguments that are completed reach the handler complete', async () => {
  const seen = []
  const { registry, session } = await openGate({
    fill: {
      properties: { text, kind: { type: 'string', default: 'usual' } },
      execute: ({ args }) => {
        seen.push(args)
        return { ok: true }
      },
    },
  })
  registry.getProviderSchemas('openaiStrict')
  const s = await session()
  await s.execute({ name: 'fill', args: { text: LARGE[0] } })
  await s.execute({ name: 'fill', args: { text: LARGE[0], kind: null } })
  expect(seen).toEqual([
    { text: LARGE[0], kind: 'usual' },
    { text: LARGE[0], kind: 'usual' },
  ])
})

test('each attempt gets large arguments anew', async () => {
  const seen = []
  const execute = async ({ args }) => {
    seen.push(args.text.length)
    args.text = 'changed'
    if (seen.length === 1)
      throw Object.assign(new Error('again'), { name: 'ToolError', type: 'TRANSIENT', retryable: true })
    return { ok: true }
  }
  const { session } = await openGate({
    again: { properties: { text }, retry: { maxAttempts: 2, baseDelayMs: 1 }, execute },
  })
  const s = await session()
  expect(await s.execute({ name: 'again', args: { text: LARGE[0] } })).toMatchObject({ ok: true })
  expect(seen).toEqual([60_000, 60_000])
})

test('where the caller that brought large arguments has gone, its handler gets them from the core', async () => {
  const end = gateway()
  const seen = []
  const { session } = await openGate(
    {
      first: {
        execute: async () => {
          await end.passed
          return { ok: true }
        },
      },
      wait: {
        properties: { text },
        execute: ({ args }) => {
          seen.push(args.text.length)
          return { ok: true }
        },
      },
    },
    { limits: { sessionCalls: 1 } },
  )
  const s = await session()
  const first = s.execute({ name: 'first' })
  // Ids that say nothing: equal calls are one, whose callers can leave one by one.
  const [gone, stays] = ['call_1', 'call_2'].map(id => s.execute({ id, name: 'wait', args: { text: LARGE[0] } }))
  // Calls are admitted in their order: once this one is answered, the others wait for a slot.
  await s.execute({ name: 'invented' })
  expect(s.cancel('call_1')).toBe(true)
  expect(await gone).toMatchObject({ ok: false, error: { type: 'CANCELLED' } })
  end.open()
  expect(await stays).toMatchObject({ ok: true })
  await first
  expect(seen).toEqual([60_000])
})

test('a native function that is called wrongly throws and does nothing', async () => {
  const made = []
  const { prototype } = native.NativeSession
  const { executeFunction } = prototype
  prototype.executeFunction = function () {
    made.push(executeFunction.call(this))
    return made.at(-1)
  }
  try {
    const { s, seen } = await echoing()
    // The function is made with the first call.
    expect(await s.execute({ name: 'invented' })).toMatchObject({ error: { type: 'NOT_FOUND' } })
    const [execute] = made
    for (const wrong of [
      [],
      ['1', null, 'echo', '{}'],
      [1, null, 7, '{}'],
      [1, null, 'echo', {}],
      [Symbol('1')],
      [1],
    ]) {
      expect(() => execute(...wrong)).toThrow(/^`execute` takes a call number/)
    }
    expect(seen).toEqual([])
    // It carries its session with it: `this` and anything beyond its arguments are not looked at.
    expect(execute.call({}, 1, 'id', 'echo', '{"text":"a"}', null, 'more')).toMatch(/^L\d+:|^S/)
    expect(await s.execute({ name: 'echo', args: { text: 'b' } })).toMatchObject({ ok: true })
  } finally {
    prototype.executeFunction = executeFunction
  }
})

test('a function of a session outlives it', async () => {
  const { s } = await echoing()
  await s.end()
  expect(await s.execute({ name: 'echo', args: { text: 'a' } })).toMatchObject({ error: { type: 'SESSION_INACTIVE' } })
})
