// Arguments that are nearly right: what a host sets, what its users are shown, and what no log has.
import { createRequire } from 'node:module'

import { createRegistry, validateToolResponse } from '../../index.js'
import { openGate } from '../support/gate.mjs'
import { compileTools, temporaryFolder, writeTools } from '../support/tool-set.mjs'

const { prometheusText } = createRequire(import.meta.url)('../../index.js')

const NUMBER = { type: 'number' }
const NOTE = { properties: { n: NUMBER, s: { type: 'string' } } }
const repaired = (path, rule) => ({ path, rule })

/** What a call came to: its data and what was repaired, or the error's type. */
const outcome = ({ ok, data, error, meta }) => (ok ? [data, meta.repaired] : [error.type, meta.repaired])

test('the handler gets the repaired arguments, and the answer, its replay and the metrics say what was repaired', async () => {
  const { registry, session } = await openGate({ note: NOTE })
  const text = await session()
  const call = { id: 'call_of_a_note', name: 'functions.Note', args: '{"n": "1.50", "s": 2.50}' }
  const first = await text.execute(call)
  const expected = [repaired('', 'tool_name'), repaired('/n', 'number_text'), repaired('/s', 'text_of_number')]
  expect(outcome(first)).toEqual([{ n: 1.5, s: '2.50' }, expected])
  expect([first.meta.toolId, validateToolResponse(first)]).toEqual(['note', true])
  const replay = await text.execute(call)
  expect([outcome(replay), replay.meta._idempotent_cache_hit]).toEqual([outcome(first), true])
  const { repairs } = registry.getMetrics().note.total
  expect(repairs).toEqual({ tool_name: 1, number_text: 1, text_of_number: 1 })
  expect(prometheusText(registry.getMetrics())).toContain(
    'toolgate_repairs_total{tool="note",mode="text",rule="number_text"} 1\n',
  )
})

test('a call that is right has no `meta.repaired`', async () => {
  const { session } = await openGate({ note: NOTE })
  const { meta } = await (await session()).execute({ name: 'note', args: { n: 1 } })
  expect(Object.keys(meta)).not.toContain('repaired')
})

describe('settings', () => {
  const near = { n: '1' }
  for (const [where, options, fields, sessionOptions, expected] of [
    ['nowhere', {}, {}, {}, [{ n: 1 }, [repaired('/n', 'number_text')]]],
    ['a registry without repair', { repair: false }, {}, {}, ['VALIDATION', undefined]],
    ['a registry with this rule', { repair: ['number_text'] }, {}, {}, [{ n: 1 }, [repaired('/n', 'number_text')]]],
    ['a registry with another rule', { repair: ['boolean_text'] }, {}, {}, ['VALIDATION', undefined]],
    ['a mode', { modes: { text: { repair: false } } }, {}, {}, ['VALIDATION', undefined]],
    ['another mode', { modes: { voice: { repair: false } } }, {}, {}, [{ n: 1 }, [repaired('/n', 'number_text')]]],
    ["a session's policy", {}, {}, { policy: { repair: false } }, ['VALIDATION', undefined]],
    ['a tool', {}, { repair: false }, {}, ['VALIDATION', undefined]],
    ['a tool with other rules', {}, { repair: ['single_item', 'tool_name'] }, {}, ['VALIDATION', undefined]],
    [
      'a mode and a policy that would allow more than the registry',
      { repair: false, modes: { text: { repair: true } } },
      { repair: true },
      { policy: { repair: ['number_text'] } },
      ['VALIDATION', undefined],
    ],
    [
      'sets without a common rule',
      { repair: ['number_text', 'boolean_text'] },
      { repair: ['boolean_text', 'tool_name'] },
      {},
      ['VALIDATION', undefined],
    ],
  ])
    test(`set in ${where}`, async () => {
      const { session } = await openGate({ note: { ...NOTE, ...fields } }, options)
      const answer = await (await session(sessionOptions)).execute({ name: 'note', args: near })
      expect(outcome(answer)).toEqual(expected)
    })

  test('a tool says which rules it allows', async () => {
    const { registry } = await openGate({ note: { ...NOTE, repair: ['tool_name'] }, other: NOTE })
    expect(registry.getToolMetadata('note').repair).toEqual(['tool_name'])
    expect(registry.getToolMetadata('other')).not.toHaveProperty('repair')
  })

  test('a misspelt rule, or another value, is refused', async () => {
    const { artifact } = await openGate({ note: NOTE })
    const load = options => createRegistry({ artifact, ...options }).load()
    const throws = async (options, message) => {
      await expect((async () => load(options))()).rejects.toThrow(message)
    }
    await throws(
      { repair: ['numbertext'] },
      'there is no repair rule `numbertext`; the rules are json_text, number_text',
    )
    await throws({ modes: { text: { repair: ['numbertext'] } } }, 'there is no repair rule `numbertext`')
    await throws(
      { repair: 'number_text' },
      '`repair` must be true, false or a list of rules, such as `["number_text"]`',
    )
    await throws({ repairs: false }, 'unknown registry option `repairs`')
  })

  test('the compiler refuses a misspelt rule of a tool', async () => {
    const folder = temporaryFolder()
    writeTools(folder, { note: { ...NOTE, repair: ['numbertext'] } })
    await expect(compileTools(folder)).rejects.toThrow(/bad-enum[^]*number_text/)
    writeTools(folder, { note: { ...NOTE, repair: 'no' } })
    await expect(compileTools(folder)).rejects.toThrow(/wrong-type[^]*true, false or a list/)
  })
})

const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  properties: { amount: NUMBER, to: { type: 'array', items: { type: 'string' } } },
  required: ['amount', 'to'],
  confirmation: { preview: 'Pay {amount} to {to}' },
}

test('a confirmation shows the repaired arguments, binds them, and exactly they run', async () => {
  const runs = []
  const { session, lines } = await openGate({
    pay: { ...PAY, execute: ({ args }) => ({ ok: true, data: runs.push(args) }) },
  })
  const text = await session()
  const asked = await text.execute({ id: 'call_to_pay_1', name: 'pay', args: { amount: '10.50', to: 'Ann' } })
  const expected = [repaired('/amount', 'number_text'), repaired('/to', 'single_item')]
  expect(outcome(asked)).toEqual(['CONFIRMATION_REQUIRED', expected])
  const { args, preview, token } = asked.error.confirmation_request
  expect([args, preview]).toEqual([{ amount: 10.5, to: ['Ann'] }, 'Pay 10.5 to Ann'])
  const right = await text.execute({ id: 'call_to_pay_2', name: 'pay', args: { amount: 10.5, to: ['Ann'] } })
  expect(right.error.confirmation_request.token).toBe(token)
  const done = await text.confirm(token)
  expect([done.ok, done.meta.repaired, runs]).toEqual([true, expected, [{ amount: 10.5, to: ['Ann'] }]])
  const { finalArgsHash } = lines.find(({ event }) => event === 'confirmation_requested')
  expect(lines.find(({ event }) => event === 'confirmation_granted')).toMatchObject({ finalArgsHash })
  expect(lines.find(({ event }) => event === 'tool_execution')).toMatchObject({ repaired: expected })
})

test('a call that was repaired is confirmed by itself', async () => {
  const { session } = await openGate({ pay: PAY })
  const text = await session()
  const call = { id: 'call_to_pay_1', name: 'Pay', args: '{"amount": "3", "to": ["Ann"],}' }
  expect((await text.execute(call)).error.type).toBe('CONFIRMATION_REQUIRED')
  const done = await text.confirm(call)
  expect(outcome(done)).toEqual([
    { amount: 3, to: ['Ann'] },
    [repaired('', 'tool_name'), repaired('', 'trailing_comma'), repaired('/amount', 'number_text')],
  ])
})

test('a repair that breaks a time rule is none', async () => {
  const time = { type: 'string', format: 'date-time' }
  const { session } = await openGate({
    book: { properties: { start: time, seats: NUMBER }, timeRules: { notPast: ['start'] } },
  })
  const args = { start: '2020-01-01T10:00:00Z', seats: '2' }
  const { error } = await (await session()).execute({ name: 'book', args })
  expect([error.type, error.details.map(({ instancePath, keyword }) => [instancePath, keyword])]).toEqual([
    'VALIDATION',
    [['/seats', 'type']],
  ])
})

test('sensitive values are never repaired, and nothing of the arguments is in the audit', async () => {
  const pin = { type: 'string', 'x-sensitive': true }
  const { session, lines } = await openGate({
    login: { properties: { pin, n: NUMBER, o: { type: 'object', additionalProperties: false, properties: { pin } } } },
  })
  const text = await session()
  const types = []
  for (const args of [
    { pin: 47110815 },
    { pin: ['47110815'] },
    { pin: null, n: '2' },
    { o: '{"pin":"47110815"}' },
    { arguments: { pin: '47110815' } },
    JSON.stringify('{"pin":"47110815"}'),
    { pin: 47110815, n: '2' },
  ])
    types.push((await text.execute({ name: 'login', args })).error?.type)
  expect(new Set(types)).toEqual(new Set(['VALIDATION']))
  const beside = await text.execute({ name: 'login', args: { pin: '47110815', n: '815471' } })
  expect(outcome(beside)).toEqual([{ pin: '47110815', n: 815471 }, [repaired('/n', 'number_text')]])
  const audit = lines.map(line => JSON.stringify(line)).join('\n')
  expect(audit).toContain('"repaired":[{"path":"/n","rule":"number_text"}]')
  expect(audit).not.toMatch(/4711|815471/)
})

test('calls of one batch run in the order of their tools, also under a misspelt name', async () => {
  const order = []
  const { session } = await openGate({
    slow: {
      kind: 'write',
      execute: async () => {
        order.push('begin')
        await new Promise(resolve => setTimeout(resolve, 20))
        order.push('end')
        return { ok: true }
      },
    },
    look: { kind: 'read', execute: () => ({ ok: true, data: order.push('look') }) },
  })
  const calls = [
    { id: 'call_of_slow_1', name: 'SLOW' },
    { id: 'call_of_look_1', name: 'LOOK' },
  ]
  const answers = await (await session()).executeAll(calls)
  expect([answers.map(({ ok }) => ok), order]).toEqual([
    [true, true],
    ['begin', 'end', 'look'],
  ])
})
