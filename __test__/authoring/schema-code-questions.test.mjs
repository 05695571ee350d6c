// The code of a library's schema before a question: it may refuse the call, and what it adds is shown and bound.
import path from 'node:path'

import * as v from 'valibot'
import { z } from 'zod'

import { success } from '../../index.js'
import { eventually, openGate } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const PROPERTIES = {
  to: { type: 'string' },
  ref: { type: 'string' },
  note: { type: 'string' },
  amount: { type: 'number' },
  pin: { type: 'string', 'x-sensitive': true },
  item: {
    type: 'object',
    properties: { id: { type: 'string' }, size: { type: 'number' } },
    additionalProperties: false,
  },
}
const PAY = { kind: 'write', requiresConfirmation: true, duplicate: false, properties: PROPERTIES, required: ['to'] }
/** A schema of Standard Schema. @param {(args: object) => unknown} validate */
const own = validate => ({ '~standard': { version: 1, vendor: 'own', validate } })
const refused = (message, ...names) => ({ issues: [{ message, path: names }] })

/** A session over a tool `pay` whose handler's schema is `parameters`. */
async function paying(parameters, { pay = {}, more = {}, session = {}, options = {} } = {}) {
  const ran = []
  const execute = ({ args }) => (ran.push(args), success({ n: ran.length }))
  const others = Object.fromEntries(Object.entries(more).map(([id, tool]) => [id, tool.execute]))
  const handlers = { pay: { execute, parameters }, ...others }
  const gate = await openGate({ pay: { ...PAY, ...pay }, ...more }, { handlers, ...options })
  const opened = await gate.session({ sessionId: 's', ...session })
  let calls = 0
  const call = (args, options) => opened.execute({ id: `call_pay_000${++calls}`, name: 'pay', args }, options)
  const asks = async args => {
    const { error, meta } = await call(args)
    return { ...error.confirmation_request, type: error.type, defaulted: meta.defaulted }
  }
  const requested = () => gate.lines.filter(({ event }) => event === 'confirmation_requested').length
  return { ...gate, session: opened, call, asks, ran, requested }
}

test('its issues refuse the call, and nothing is asked', async () => {
  const { call, asks, session, ran, requested } = await paying(
    z.object({ to: z.string() }).refine(async ({ to }) => to !== 'eve', { path: ['to'], message: 'is unknown' }),
  )
  const { error, meta } = await call({ to: 'eve' })
  expect(error).toMatchObject({
    type: 'VALIDATION',
    message: 'the arguments of `pay` do not fit: `/to`: is unknown',
    details: [{ instancePath: '/to', keyword: 'schema-code' }],
    partialSideEffects: false,
  })
  expect(meta.idempotencyKey).toBeUndefined()
  expect([await session.listPending(), requested(), ran]).toEqual([[], 0, []])
  expect(await asks({ to: 'ada' })).toMatchObject({ type: 'CONFIRMATION_REQUIRED', args: { to: 'ada' } })
})

test.each([['memory'], ['file']])(
  'a default of its own is computed once, shown and bound: a store in %s',
  async store => {
    let made = 0
    const ref = () => `r${++made}`
    const options = store === 'file' ? { store: { file: path.join(temporaryFolder(), 'store') } } : {}
    const { asks, call, session, ran } = await paying(
      z.object({
        to: z.string(),
        ref: z.string().default(ref),
        item: z.object({ id: z.string().default(() => 'i'), size: z.number().default(() => 2) }).optional(),
      }),
      { options },
    )
    const asked = await asks({ to: 'ada', item: { size: 5 } })
    const args = { to: 'ada', item: { id: 'i', size: 5 }, ref: 'r1' }
    expect(asked).toMatchObject({ args, defaulted: ['/ref', '/item/id'], preview: expect.stringContaining('r1') })
    expect((await session.listPending())[0].args).toEqual(args)
    const repeated = await asks({ to: 'ada', item: { size: 5 } })
    expect([repeated.token, repeated.args, repeated.defaulted]).toEqual([asked.token, args, asked.defaulted])
    const { data, meta } = await session.confirm(asked.token)
    expect([data, meta.defaulted, ran]).toEqual([{ n: 1 }, ['/ref', '/item/id'], [args]])
    expect((await call({ to: 'ada', item: { size: 5 } })).data).toEqual({ n: 1 })
    expect([ran.length, made]).toEqual([1, 1])
  },
)

test('what it changes, and what its own schema or the JSON Schema does not take back, stays between it and the handler', async () => {
  const { asks, session, ran } = await paying(
    v.pipe(
      v.object({ to: v.pipe(v.string(), v.toUpperCase()), note: v.optional(v.string()) }),
      v.transform(args => ({ ...args, ref: 'x', when: new Date(0), other: 1, amount: (args.amount ?? 1) * 3 })),
    ),
  )
  const asked = await asks({ to: 'ada' })
  expect([asked.args, asked.defaulted]).toEqual([{ to: 'ada', ref: 'x', amount: 3 }, ['/ref', '/amount']])
  await session.confirm(asked.token)
  expect(ran).toEqual([{ to: 'ADA', ref: 'x', when: new Date(0), other: 1, amount: 3 }])
})

test('a value that it would compute with again is not shown', async () => {
  const { asks, session, ran } = await paying(
    z.object({
      to: z.string(),
      note: z.string().default(() => 'n'),
      amount: z
        .number()
        .prefault(5)
        .transform(n => n * 100),
    }),
  )
  const asked = await asks({ to: 'ada' })
  expect(asked.args).toEqual({ to: 'ada', note: 'n' })
  await session.confirm(asked.token)
  expect(ran).toEqual([{ to: 'ada', note: 'n', amount: 500 }])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('a defect')
    },
    'a defect',
    {},
  ],
  ['never answers', () => new Promise(() => {}), /did not answer within \d+ ms/, { timeoutMs: 200 }],
])('a schema that %s is INTERNAL, and nothing is asked', async (_what, validate, cause, pay) => {
  const { call, session, thrown, requested } = await paying(own(validate), { pay })
  const { error } = await call({ to: 'ada' })
  expect(error).toMatchObject({
    type: 'INTERNAL',
    message: '`pay` failed unexpectedly',
    partialSideEffects: false,
  })
  expect(thrown.map(error => error.message)).toEqual([expect.stringMatching(cause)])
  expect([await session.listPending(), requested()]).toEqual([[], 0])
})

test('a sensitive value is shown in no issue and no question', async () => {
  const { call, asks, lines, session, ran } = await paying(
    own(({ to, pin }) => (to === 'eve' ? refused(`not ${pin}`, 'to') : { value: { to, pin: pin ?? 'p1n' } })),
  )
  expect((await call({ to: 'eve', pin: 's3cret' })).error.message).toContain("the tool's own check refuses it")
  const asked = await asks({ to: 'ada' })
  expect(asked.args).toEqual({ to: 'ada', pin: '***' })
  expect(JSON.stringify([lines, asked])).not.toMatch(/s3cret|p1n/)
  await session.confirm(asked.token)
  expect(ran).toEqual([{ to: 'ada', pin: 'p1n' }])
})

test('it runs once before a call that asks nothing', async () => {
  let runs = 0
  const parameters = own(args => (runs++, { value: { ref: `r${runs}`, ...args } }))
  const when = { properties: { amount: { minimum: 10 } }, required: ['amount'] }
  const { call, asks, ran } = await paying(parameters, { pay: { confirmation: { when } } })
  expect((await call({ to: 'ada' })).data).toEqual({ n: 1 })
  expect([runs, ran]).toEqual([1, [{ to: 'ada', ref: 'r1' }]])
  expect((await asks({ to: 'ada', amount: 10 })).args).toEqual({ to: 'ada', amount: 10, ref: 'r2' })
})

test('an act that was done before is the same whatever it adds, and its question shows what it adds', async () => {
  let made = 0
  const { call, asks, session, ran } = await paying(
    own(args => ({ value: { ref: `r${++made}`, ...args } })),
    {
      pay: { requiresConfirmation: false, duplicate: { windowMs: 60_000 } },
    },
  )
  expect((await call({ to: 'ada' })).data).toEqual({ n: 1 })
  const asked = await asks({ to: 'ada' })
  expect(asked.preview).toMatch(/^Already done at /)
  expect(asked.args).toEqual({ to: 'ada', ref: 'r2' })
  expect((await session.confirm(asked.token)).data).toEqual({ n: 2 })
  expect(ran).toEqual([
    { to: 'ada', ref: 'r1' },
    { to: 'ada', ref: 'r2' },
  ])
  expect((await call({ to: 'ada' })).data).toEqual({ n: 2 })
  for (let n = 0; n < 3; n++) await session.beginTurn()
  expect((await asks({ to: 'ada' })).preview).toMatch(/^Already done at /)
})

test('a denial counts, and a grant covers, whatever it adds', async () => {
  let made = 0
  const { call, asks, session } = await paying(
    own(args => ({ value: { ref: `r${++made}`, ...args } })),
    {
      pay: { confirmation: { grantable: 'args' } },
    },
  )
  for (const _ of [1, 2]) await session.deny((await asks({ to: 'eve' })).token)
  expect((await call({ to: 'eve' })).error.type).toBe('LOOP_DETECTED')
  const { token } = await asks({ to: 'ada' })
  expect((await session.confirm(token, { grant: { scope: 'args', calls: 2, ttlMs: 60_000 } })).data).toEqual({ n: 1 })
  for (let n = 0; n < 3; n++) await session.beginTurn()
  const { data, meta } = await call({ to: 'ada' })
  expect([data, typeof meta.grant]).toEqual([{ n: 2 }, 'string'])
})

test('`ask` asks the same question', async () => {
  let made = 0
  const { session, asks, requested } = await paying(
    own(args => (args.to === 'eve' ? refused('no') : { value: { ref: `r${++made}`, ...args } })),
  )
  const asked = await session.ask({ id: 'call_ask_1', name: 'pay', args: { to: 'ada' } })
  expect(asked.error.confirmation_request.args).toEqual({ to: 'ada', ref: 'r1' })
  expect((await asks({ to: 'ada' })).token).toBe(asked.error.confirmation_request.token)
  expect(await session.ask({ id: 'call_ask_2', name: 'pay', args: { to: 'eve' } })).toBe(null)
  expect([made, requested()]).toEqual([2, 2])
})

test("a handler's call is refused, or waits for its user with what is shown", async () => {
  let made = 0
  const asked = []
  const book = {
    kind: 'write',
    duplicate: false,
    properties: { to: { type: 'string' } },
    execute: async ({ args, callTool }) => success(await callTool('pay', args, { confirmation: 'wait' })),
  }
  const { session, ran } = await paying(
    own(args => (args.to === 'eve' ? refused('no') : { value: { ref: `r${++made}`, ...args } })),
    { more: { book }, session: { onNestedConfirmation: request => asked.push(request) } },
  )
  const booking = (id, to) => session.execute({ id, name: 'book', args: { to } })
  expect((await booking('call_book_1', 'eve')).data.error.type).toBe('VALIDATION')
  const booked = booking('call_book_2', 'ada')
  await eventually(() => asked.length > 0, 'the user is asked')
  expect(asked[0].args).toEqual({ to: 'ada', ref: 'r1' })
  await session.confirm(asked[0].token)
  expect((await booked).data).toMatchObject({ ok: true, data: { n: 1 } })
  expect(ran).toEqual([{ to: 'ada', ref: 'r1' }])
})

test('what its user changes is checked before the run, and the rest stays filled in', async () => {
  const { asks, session, ran } = await paying(
    own(args => (args.to === 'eve' ? refused('no', 'to') : { value: { ref: 'r', note: 'n', ...args } })),
  )
  const { token } = await asks({ to: 'ada' })
  const eve = await session.confirm(token, { args: { to: 'eve', ref: 'r', note: 'n' } })
  expect(eve.error).toMatchObject({ type: 'VALIDATION', details: [{ instancePath: '/to' }] })
  const again = await asks({ to: 'bob' })
  const { meta } = await session.confirm(again.token, { args: { to: 'bob', ref: 'mine', note: 'n' } })
  expect([meta.edited, meta.defaulted]).toEqual([[{ path: '/ref', value: 'mine' }], ['/note']])
  expect(ran).toEqual([{ to: 'bob', ref: 'mine', note: 'n' }])
})

test('a call that is cancelled while it runs is not asked about, and other calls go on', async () => {
  const stopped = []
  const { session, call, requested } = await paying(
    own(({ to }) => (to === 'slow' ? new Promise(() => {}) : { value: { to } })),
    {
      more: { look: { properties: {}, execute: () => success('seen') } },
    },
  )
  const slow = call({ to: 'slow' }).then(answer => (stopped.push('slow'), answer))
  expect((await session.execute({ id: 'call_look', name: 'look', args: {} })).data).toBe('seen')
  expect(stopped).toEqual([])
  session.cancel('call_pay_0001')
  expect((await slow).error).toMatchObject({ type: 'CANCELLED' })
  expect([requested(), await session.listPending()]).toEqual([0, []])
})
