// An MCP client's user changes the arguments of a call before it runs, in the form of the question.
import { openGate } from '../support/gate.mjs'
import { attached, envelopeOf } from './support.mjs'

const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  confirmation: { preview: 'Pay {amount} to {to}' },
  required: ['to', 'amount'],
  properties: {
    to: { type: 'string', minLength: 1, maxLength: 40, title: 'Recipient' },
    amount: { type: 'number', exclusiveMinimum: 0, maximum: 500 },
    copies: { type: 'integer', minimum: 1 },
    mail: { type: 'string', format: 'email' },
    speed: { type: 'string', enum: ['slow', 'fast'] },
    level: { type: 'integer', enum: [1, 2] },
    quiet: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    pin: { type: 'string', 'x-sensitive': true },
  },
}
const ARGS = { to: 'ada', amount: 5, copies: 2, speed: 'slow', tags: ['a'], pin: '1234' }

/** A call of `pay` whose user answers as `answers` say, one a question. */
async function paying(answers, { args = ARGS, ...fields } = {}) {
  const ran = []
  const execute = ({ args: given }) => {
    ran.push(given)
    return { ok: true, data: given }
  }
  const { registry } = await openGate({ pay: { ...PAY, execute, ...fields } })
  const asked = []
  const elicit = question => {
    asked.push(question)
    return answers[asked.length - 1] ?? { action: 'cancel' }
  }
  const user = await attached(registry, { elicit })
  const call = () => user.client.callTool({ name: 'pay', arguments: args })
  return { ...user, answer: envelopeOf(await call()), call, asked, ran }
}
const accept = content => ({ action: 'accept', content })

test('each argument of one primitive type is a field, with its value; lists and sensitive ones are not', async () => {
  const { asked, frames, sent } = await paying([{ action: 'decline' }])
  expect(asked[0].requestedSchema).toEqual({
    type: 'object',
    properties: {
      to: { type: 'string', title: 'Recipient', minLength: 1, maxLength: 40, default: 'ada' },
      amount: { type: 'number', maximum: 500, default: 5 },
      copies: { type: 'integer', minimum: 1, default: 2 },
      mail: { type: 'string', format: 'email' },
      speed: { type: 'string', enum: ['slow', 'fast'], default: 'slow' },
      quiet: { type: 'boolean' },
    },
  })
  expect(asked[0].message).toContain('pin: ***')
  // The client has sent the value itself; nothing of the server repeats it.
  expect(JSON.stringify(frames)).not.toContain('1234')
  expect(sent.length).toBeGreaterThan(0)
})

test('what the core finds sensitive is not a field, wherever the schema says so', async () => {
  const properties = {
    ...PAY.properties,
    tags: { type: 'string', 'x-sensitive': false },
    mail: { type: 'string' },
  }
  const allOf = [{ properties: { mail: { 'x-sensitive': true } } }]
  const parameters = { type: 'object', additionalProperties: false, properties, required: PAY.required, allOf }
  const args = { ...ARGS, tags: 'a', mail: 'ada@example.org' }
  const { asked } = await paying([{ action: 'decline' }], { args, parameters })
  const fields = Object.keys(asked[0].requestedSchema.properties)
  expect(fields).toEqual(['to', 'amount', 'copies', 'speed', 'quiet', 'tags'])
})

test('what the user changed runs, beside what they left, and the model hears of it', async () => {
  const { answer, asked, ran } = await paying([accept({ to: 'bob', amount: 7, copies: 2, speed: 'slow', quiet: true })])
  expect(ran).toEqual([{ ...ARGS, to: 'bob', amount: 7, quiet: true }])
  expect(answer.ok).toBe(true)
  expect([...answer.meta.edited].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: '/amount', value: 7 },
    { path: '/quiet', value: true },
    { path: '/to', value: 'bob' },
  ])
  expect(asked).toHaveLength(1)
})

test.each([
  ['no content', undefined],
  ['empty content', {}],
  ['the values as they were', { to: 'ada', amount: 5, copies: 2, speed: 'slow' }],
  ['a part of them', { amount: 5 }],
  ['an empty text where there was none', { mail: '' }],
  ['what was not asked for', { confirm: true, pin: '9999', tags: ['b'], __proto__: { to: 'eve' }, level: 2 }],
])('%s runs what was shown', async (_, content) => {
  const { answer, ran } = await paying([accept(content)])
  expect(answer.ok).toBe(true)
  expect(answer.meta?.edited).toBeUndefined()
  expect(ran).toEqual([ARGS])
})

test.each([
  ['a value out of bounds', { amount: -5 }, /amount/],
  ['a text for a number', { amount: '7' }, /amount/],
  ['an empty text for a required one', { to: '' }, /to/],
  ['another choice', { speed: 'warp' }, /speed/],
  ['a list for a text', { to: ['bob'] }, /to/],
])('%s runs nothing: the user is told why, and asked again', async (_, content, why) => {
  const { answer, asked, ran } = await paying([accept(content), accept({ to: 'bob' })])
  expect(asked).toHaveLength(2)
  expect(asked[1].message).toMatch(/^Your changes can't be used: /)
  expect(asked[1].message.split('\n')[0]).toMatch(why)
  expect(asked[1].message.endsWith(asked[0].message)).toBe(true)
  expect(ran).toEqual([{ ...ARGS, to: 'bob' }])
  expect(answer.meta.edited).toEqual([{ path: '/to', value: 'bob' }])
})

test('after three refused changes the model is told, and an equal call asks again', async () => {
  const wrong = accept({ amount: 501 })
  const { answer, call, asked, ran } = await paying([wrong, wrong, wrong, accept()])
  expect(asked).toHaveLength(3)
  expect(answer.error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    suggestion: expect.stringMatching(/^the user's changes were refused \(.*amount/u),
  })
  expect(ran).toEqual([])
  expect(envelopeOf(await call()).ok).toBe(true)
  expect(ran).toEqual([ARGS])
})

test("a handler's own VALIDATION is the answer: it has run, and nobody is asked again", async () => {
  let runs = 0
  const execute = () => {
    runs += 1
    return { ok: false, error: { type: 'VALIDATION', message: 'no such account', retryable: false } }
  }
  const { answer, asked } = await paying([accept({ to: 'bob' }), accept()], { execute })
  expect([answer.error.message, runs, asked.length]).toEqual(['no such account', 1, 1])
})

test('equal calls at once share the form, and one changed run', async () => {
  const ran = []
  const { registry } = await openGate({
    pay: { ...PAY, execute: ({ args }) => (ran.push(args.to), { ok: true, data: args.to }) },
  })
  let asked = 0
  const { client } = await attached(registry, { elicit: () => ((asked += 1), accept({ to: 'bob' })) })
  const calls = [1, 2, 3].map(() => client.callTool({ name: 'pay', arguments: ARGS }))
  const answers = (await Promise.all(calls)).map(envelopeOf)
  expect(answers.map(({ data }) => data)).toEqual(['bob', 'bob', 'bob'])
  expect([asked, ran]).toEqual([1, ['bob']])
})
