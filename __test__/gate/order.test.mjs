// In which order things happen on the JavaScript thread: what one native call makes ready is returned by it.
import { gateway, openGate } from '../support/gate.mjs'

const ok = data => ({ ok: true, data })
const roomy = { totalCalls: 1e6, retrievalCalls: 1e6 }

test('a handler begins within the call, and its lines are told before its answer', async () => {
  const seen = []
  const { session } = await openGate(
    {
      probe: {
        execute: () => {
          seen.push('handler')
          return ok()
        },
      },
    },
    {
      audit: line => {
        const { event } = JSON.parse(line)
        if (event === 'tool_execution') seen.push(event)
      },
    },
  )
  const s = await session()
  const answer = s.execute({ name: 'probe' }).then(() => seen.push('answer'))
  seen.push('execute returned')
  await answer
  expect(seen).toEqual(['handler', 'tool_execution', 'execute returned', 'answer'])
})

test('however many handlers end at once and let the next one begin, the stack does not grow', async () => {
  const count = 3000
  let deepest = 0
  const depth = () => {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = Infinity
    const lines = new Error('where').stack.split('\n').length
    Error.stackTraceLimit = stackTraceLimit
    return lines
  }
  const { end, all } = await queued(count, n => {
    if (n % 1000 === 0) deepest = Math.max(deepest, depth())
  })
  end.open()
  const answers = await all
  expect(answers.every(({ ok: fine }) => fine)).toBe(true)
  expect(new Set(answers.map(({ data }) => data)).size).toBe(count)
  expect(deepest).toBeGreaterThan(0)
  expect(deepest).toBeLessThan(100)
})

/** One call that waits, and behind it, in a session that runs one at a time, `count` whose handlers end at once. */
async function queued(count, ran) {
  const end = gateway()
  const { session } = await openGate(
    {
      first: {
        execute: async () => {
          await end.passed
          return ok()
        },
      },
      rest: {
        properties: { n: { type: 'integer' } },
        execute: ({ args }) => {
          ran(args.n)
          return ok(args.n)
        },
      },
    },
    { limits: { sessionCalls: 1, queuedCalls: count, queueMs: 600_000 } },
  )
  const s = await session({ policy: roomy })
  const calls = [
    s.execute({ name: 'first' }),
    ...Array.from({ length: count }, (_, n) => s.execute({ name: 'rest', args: { n } })),
  ]
  return { end, all: Promise.all(calls.slice(1)) }
}

test("a handler that changes the state sees its change, also where another's end let it begin", async () => {
  const end = gateway()
  const seen = []
  let s
  const { session } = await openGate(
    {
      first: {
        execute: async () => {
          await end.passed
          return ok()
        },
      },
      rest: {
        properties: { n: { type: 'integer' } },
        execute: ({ args }) => {
          s.state.set('last', args.n)
          seen.push(s.state.get('last'))
          return ok()
        },
      },
    },
    { limits: { sessionCalls: 1 } },
  )
  s = await session({ policy: roomy })
  const calls = [
    s.execute({ name: 'first' }),
    s.execute({ name: 'rest', args: { n: 1 } }),
    s.execute({ name: 'rest', args: { n: 2 } }),
  ]
  end.open()
  await Promise.all(calls)
  expect(seen).toEqual([1, 2])
})

test("a call that is made while another's line is told, and one that a handler makes before it waits, are answered", async () => {
  const answers = []
  let s
  const { session } = await openGate(
    {
      probe: {
        properties: { n: { type: 'integer' } },
        execute: ({ args }) => {
          if (args.n === 1) answers.push(s.execute({ name: 'probe', args: { n: 2 } }))
          return ok(args.n)
        },
      },
    },
    {
      audit: line => {
        const { event, argsHash, callId } = JSON.parse(line)
        if (event === 'tool_execution' && argsHash && callId === 'call_first_one')
          answers.push(s.execute({ name: 'probe', args: { n: 3 } }))
      },
    },
  )
  s = await session({ policy: roomy })
  answers.push(s.execute({ id: 'call_first_one', name: 'probe', args: { n: 1 } }))
  expect((await Promise.all(answers)).map(({ data }) => data).sort()).toEqual([1, 2, 3])
  expect(answers).toHaveLength(3)
})

test('a handler that is told to stop before its turn to begin never begins', async () => {
  const ran = []
  let s
  const read = execute => ({ kind: 'read', execute })
  const { session } = await openGate({
    first: read(() => {
      s.cancel('call_second_one')
      // Whatever goes into the core and comes back brings the stop along.
      s.state.set('seen', true)
      return ok('first')
    }),
    second: read(() => {
      ran.push('second')
      return ok()
    }),
  })
  s = await session()
  const [first, second] = await s.executeAll([{ name: 'first' }, { id: 'call_second_one', name: 'second' }])
  expect(first).toMatchObject({ ok: true, data: 'first' })
  expect(second).toMatchObject({ ok: false, error: { type: 'CANCELLED' } })
  expect(ran).toEqual([])
})
