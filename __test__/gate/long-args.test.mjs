// Long arguments: workers read them, and their handler gets what `JSON.parse` makes of the completed text, once.
import { openGate } from '../support/gate.mjs'
import { seeded } from '../../fuzz/random.cjs'

const LIMITS = { maxArgsBytes: 4 * 1024 * 1024 }

const TEXTS = [
  '""',
  '"plain"',
  '"Größe 記録 😀"',
  String.raw`"esc\"\\\u00e9\ud83d\ude00\n"`,
  `"${'long '.repeat(400)}"`,
]
const NAMES = ['"a"', '"b"', '"7"', '"10"', '"__proto__"', '"constructor"', '"é😀"', String.raw`"k\u0065y\"~/"`, '""']
const SPACES = ['', '', '', ' ', '\n\t ']

/** JSON text of a value with about `size` characters. */
function jsonOf(roll, size, depth = 0) {
  const space = () => SPACES[roll(SPACES.length)]
  if (size < 10 || depth > 5) {
    const scalars = ['1', '-0', '1.50', '1234567890123456', '1e-7', 'true', 'false', ...TEXTS, '[]', '{ }']
    return scalars[roll(scalars.length)]
  }
  const parts = []
  const isArray = roll(2) === 0
  for (let length = 0, n = 0; length < size && n < 3000; n++) {
    const child = jsonOf(roll, roll(4) === 0 ? Math.floor(size / 2) : roll(40), depth + 1)
    // Names that differ, among those that `JSON.parse` treats specially.
    const name = roll(3) === 0 && n < NAMES.length ? NAMES[n] : `"m${n}"`
    parts.push(space() + (isArray ? '' : `${name}${space()}:${space()}`) + child + space())
    length += parts.at(-1).length
  }
  return isArray ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

/** Values with the order of their members, and their own `__proto__`. */
const spelled = value => JSON.stringify(value)

const properties = {
  value: {},
  x: {},
  kind: { type: 'string', default: 'usual' },
  top_k: { type: 'integer', default: 50 },
  rows: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean', default: true } } } },
}

/** A gate with one tool that keeps what it gets. */
async function keeping(fields = {}, sessionOptions = {}) {
  const seen = []
  const execute = ({ args, meta }) => {
    seen.push({ args, meta })
    return { ok: true }
  }
  const gate = await openGate(
    { keep: { kind: 'read', properties, required: ['value'], execute, ...fields } },
    { limits: LIMITS },
  )
  const s = await gate.session({ policy: { totalCalls: 1e4, retrievalCalls: 1e4 }, ...sessionOptions })
  return { ...gate, seen, s }
}

/** Notes the lengths of the texts that are parsed. */
function spyOnParse() {
  const parsed = []
  const { parse } = JSON
  JSON.parse = function (text, ...rest) {
    parsed.push(String(text).length)
    return parse.call(this, text, ...rest)
  }
  return {
    parsed,
    restore: () => {
      JSON.parse = parse
    },
  }
}

const rowsText = (count, extra = '') =>
  `{"value":1,"rows":[${Array.from({ length: count }, (_, n) => `{"n":${n},"name":"row number ${n} 记"${n % 40 ? ',"on":false' : ''}}`)}]${extra}}`

/** The value that completion makes of `rowsText`. */
function completedRows(text, topK = 50) {
  const value = JSON.parse(text)
  for (const row of value.rows) row.on ??= true
  value.kind ??= 'usual'
  value.top_k ??= topK
  return value
}

test.each([1, 2, 3, 4, 5, 6])('the handler gets the value of the completed text (%#)', async seed => {
  const { s, seen } = await keeping()
  const roll = seeded(seed).below
  for (const size of [20_000, 300_000, 700_000]) {
    await s.beginTurn()
    const text = `{ "value": ${jsonOf(roll, size)} }`
    expect(await s.execute({ name: 'keep', args: text })).toMatchObject({ ok: true })
    const expected = { ...JSON.parse(text), kind: 'usual', top_k: 50 }
    expect(spelled(seen.at(-1).args) === spelled(expected)).toBe(true)
    expect(Object.getPrototypeOf(seen.at(-1).args.value)).toBe(Object.getPrototypeOf(expected.value))
  }
})

test('of a duplicate name the last value counts', async () => {
  const { s, seen } = await keeping()
  const text = rowsText(12_000, ',"value":{"x":1,"x":[2]},"kind":"a","kind":"b"')
  await s.execute({ name: 'keep', args: text })
  expect(spelled(seen[0].args) === spelled(completedRows(text))).toBe(true)
})

test('defaults are filled, and numbers are clamped', async () => {
  const { s, seen } = await keeping({}, { policy: { topK: 3, totalCalls: 99, retrievalCalls: 99 } })
  const text = rowsText(12_000, ',"top_k":9')
  await s.execute({ name: 'keep', args: text })
  const { args, meta } = seen[0]
  expect(meta.clamped).toEqual([{ path: '/top_k', from: 9, to: 3 }])
  expect(spelled(args) === spelled({ ...completedRows(text), top_k: 3 })).toBe(true)
})

test.each(['read', 'write'])('a call that is cancelled while workers read it starts no handler (%s)', async kind => {
  const { s, seen } = await keeping({ kind })
  const answer = s.execute({ id: 'call_to_cancel', name: 'keep', args: rowsText(24_000) })
  expect(s.cancel('call_to_cancel', 'barge-in')).toBe(true)
  expect(await answer).toMatchObject({ ok: false, error: { type: 'CANCELLED', partialSideEffects: false } })
  // A later call runs as usual.
  await s.beginTurn()
  expect(await s.execute({ name: 'keep', args: rowsText(12_000) })).toMatchObject({ ok: true })
  expect(seen.length).toBe(1)
})

test('a session that ends while workers read a text starts no handler', async () => {
  const { s, seen } = await keeping()
  const answer = s.execute({ name: 'keep', args: rowsText(24_000) })
  await s.end()
  expect(await answer).toMatchObject({ ok: false })
  expect(seen).toEqual([])
})

test('a registry that closes cancels a call whose text is being read', async () => {
  const { registry, s, seen } = await keeping({ kind: 'write' })
  const arrived = s.execute({ name: 'keep', args: rowsText(24_000) })
  await registry.close()
  expect(await arrived).toMatchObject({ ok: false, error: { type: 'CANCELLED', partialSideEffects: false } })
  expect(seen).toEqual([])
})

test('each attempt gets a value of its own', async () => {
  const seen = []
  const execute = ({ args }) => {
    seen.push(args.rows.length)
    args.rows = []
    if (seen.length === 1)
      throw Object.assign(new Error('again'), { name: 'ToolError', type: 'TRANSIENT', retryable: true })
    return { ok: true }
  }
  const { s } = await keeping({ retry: { maxAttempts: 2, baseDelayMs: 1 }, execute })
  expect(await s.execute({ name: 'keep', args: rowsText(12_000) })).toMatchObject({ ok: true })
  expect(seen).toEqual([12_000, 12_000])
})

test('writes of a batch start in their order, whatever their length', async () => {
  const order = []
  const execute = ({ args }) => {
    order.push(args.value)
    return { ok: true }
  }
  const { s } = await keeping({ kind: 'write', execute })
  const texts = [rowsText(12_000), '{"value":2}', rowsText(13_000).replace('"value":1', '"value":3'), '{"value":4}']
  const answers = await s.executeAll(texts.map((args, n) => ({ id: `write_number_${n}`, name: 'keep', args })))
  expect(answers.map(answer => answer.ok)).toEqual([true, true, true, true])
  expect(order).toEqual([1, 2, 3, 4])
})

test('calls that are made at once each get their own value', async () => {
  const { s, seen } = await keeping()
  const texts = Array.from({ length: 6 }, (_, n) => rowsText(12_000 + n))
  const answers = await Promise.all(texts.map(args => s.execute({ name: 'keep', args })))
  expect(answers.every(answer => answer.ok)).toBe(true)
  const lengths = seen.map(({ args }) => args.rows.length)
  expect(lengths.toSorted()).toEqual(texts.map((_, n) => 12_000 + n))
})

test.each([1000, 12_000])('no text is parsed for a call that was answered before (%i rows)', async count => {
  const { s, seen } = await keeping()
  const text = rowsText(count)
  const call = { id: 'call_made_before', name: 'keep', args: text }
  await s.beginTurn()
  const first = await s.execute(call)
  const spy = spyOnParse()
  const again = await s.execute(call).finally(spy.restore)
  expect(again.meta.idempotencyKey).toBe(first.meta.idempotencyKey)
  expect(seen.length).toBe(1)
  expect(spy.parsed.filter(length => length > 20_000)).toEqual([])
  // In a later turn the same id is a new call.
  await s.beginTurn()
  const other = rowsText(count + 1)
  expect(await s.execute({ ...call, args: other })).toMatchObject({ ok: true })
  expect(seen.map(({ args }) => args.rows.length)).toEqual([count, count + 1])
  expect(spelled(seen[1].args) === spelled(completedRows(other))).toBe(true)
})
