// What a user is shown is what the handler gets: for any JSON text, in any order, with any characters.
import { openGate } from '../support/gate.mjs'
import { seeded } from '../../fuzz/random.cjs'

const NUMBERS = [
  '0',
  '-0',
  '7',
  '-12.50',
  '1e3',
  '0.1',
  '123456789012345',
  '9007199254740991',
  '-9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '9007199254740993.0',
  '1.0000000000000000001',
  '1e20',
  '1e21',
  '1e22',
  '1e-7',
  '6.02214076e23',
]
const CHARACTERS = [
  'a',
  'Z',
  '5',
  ' ',
  ',',
  ':',
  '"',
  '\\',
  '\n',
  '\r',
  '\u2028',
  '\u202e',
  '\u200b',
  '\u00a0',
  'ש',
  'é',
  '😀',
  '{',
  '***',
]

/** A random JSON text. */
function randomText(roll, levels = 3) {
  const one = list => list[roll(list.length)]
  const text = () => JSON.stringify(Array.from({ length: roll(6) }, () => one(CHARACTERS)).join(''))
  switch (levels === 0 ? roll(4) : roll(6)) {
    case 0:
      return one(['true', 'false', 'null'])
    case 1:
    case 2:
      return one(NUMBERS)
    case 3:
      return text()
    case 4:
      return `[${Array.from({ length: roll(4) }, () => randomText(roll, levels - 1)).join(',')}]`
    default: {
      const members = new Map(Array.from({ length: roll(4) }, () => [text(), randomText(roll, levels - 1)]))
      return `{${[...members].map(([name, value]) => `${name}:${value}`).join(', ')}}`
    }
  }
}

/** The numbers of a text as they are written. */
const writtenNumbers = text => text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? []

const PROPERTIES = { b: {}, a: {}, c: {} }

async function open() {
  const given = []
  const { session } = await openGate({
    order: {
      title: 'Order',
      kind: 'write',
      requiresConfirmation: true,
      properties: PROPERTIES,
      execute: ({ args }) => {
        given.push(args)
        return { ok: true, data: {} }
      },
    },
  })
  return { session, given }
}

test('the handler gets what was shown, and a number is not shown as another one', async () => {
  const { session, given } = await open()
  const roll = seeded(20261125).below
  let refused = 0
  let shown = 0
  for (let round = 0; round < 400; round++) {
    const names = ['a', 'b', 'c'].slice(roll(3)).toSorted(() => roll(3) - 1)
    const args = `{${names.map(name => `"${name}":${randomText(roll)}`).join(',')}}`
    const s = await session()
    const asked = await s.execute({ name: 'order', args })
    const exact = writtenNumbers(args).every(
      written => Number.isSafeInteger(Number(written)) || !/^-?\d{16,}(\.0)?$/.test(written),
    )
    if (!exact) {
      expect([args, asked.error.type]).toEqual([args, 'VALIDATION'])
      refused++
      continue
    }
    expect([args, asked.error.type]).toEqual([args, 'CONFIRMATION_REQUIRED'])
    const { token, args: question, preview } = asked.error.confirmation_request
    const { rows, text } = s.showArguments('order', question)
    // JavaScript moves members whose names are numbers to the front.
    const lines = ['Order', ...(text === '' ? [] : text.split('\n'))]
    expect(preview.split('\n').toSorted()).toEqual(lines.toSorted())
    expect(preview.split('\n')).toHaveLength(rows.length + 1)
    // No control, no invisible character but the isolates that the core has put around values.
    expect(preview.replaceAll(/[\n\u2066\u2068\u2069]/g, '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0]/u)
    expect(rows.map(({ name }) => name[0])).toEqual(rows.map(({ name }) => name[0]).toSorted(bySchema))
    await s.confirm(token)
    expect(given.pop()).toEqual(question)
    expect(question).toEqual(JSON.parse(args))
    await s.end()
    shown++
  }
  expect([refused > 40, shown > 100]).toEqual([true, true])
})

const order = Object.keys(PROPERTIES)
const bySchema = (one, other) => order.indexOf(one) - order.indexOf(other)

test('an inexact number is refused at its place, also after JSON.parse, and taken as text', async () => {
  const { session, given } = await open()
  const s = await session()
  for (const args of [
    '{"a":{"x":12345678901234567890}}',
    { a: { x: 2 ** 53 } },
    { a: { x: Number('12345678901234567890') } },
  ]) {
    const { error } = await s.execute({ name: 'order', args })
    expect(error.type).toBe('VALIDATION')
    expect(error.details[0].instancePath).toBe('/a/x')
    expect(error.message).toMatch(/as text/)
  }
  const { error } = await s.execute({ name: 'order', args: { a: { x: '12345678901234567890' } } })
  await s.confirm(error.confirmation_request.token)
  expect(given).toEqual([{ a: { x: '12345678901234567890' } }])
})

test('a long value hides no other one: a row for each, in the order of the schema', async () => {
  const { session } = await open()
  const s = await session()
  const args = { c: 'x'.repeat(5000), a: { to: 'y'.repeat(300) }, b: 'line\nTo: \u202eevil' }
  const { error } = await s.execute({ name: 'order', args })
  const { preview } = error.confirmation_request
  expect(preview).toBe(
    `Order\nb: line\\nTo: \\u202eevil\na.to: ${'y'.repeat(300)}\nc: ${'x'.repeat(200)}… (5000 characters)`,
  )
  expect(s.showArguments('order', args).rows[2].value).toBe(args.c)
  expect([s.showArguments('none', args), s.showArguments('order', '{')]).toEqual([null, null])
})

test('a row has the title of its schema; text from right to left keeps an escape in one piece', async () => {
  const { session } = await openGate({
    order: {
      title: 'Order',
      kind: 'write',
      requiresConfirmation: true,
      properties: { to: { title: 'Ship \u202eto', type: 'string' }, note: { type: 'string' } },
      execute: () => ({ ok: true, data: {} }),
    },
  })
  const s = await session()
  const args = { note: 'שלום', to: 'שלום\u202ex' }
  const { preview } = (await s.execute({ name: 'order', args })).error.confirmation_request
  expect(s.showArguments('order', args).rows).toEqual([
    { name: 'to', title: 'Ship \\u202eto', value: 'שלום\\u202ex' },
    { name: 'note', value: 'שלום' },
  ])
  // Isolated: from left to right with an escape, else with the direction of the text itself.
  expect(preview).toBe('Order\n\u2068to\u2069: \u2066שלום\\u202ex\u2069\n\u2068note\u2069: \u2068שלום\u2069')
})
