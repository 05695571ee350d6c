// Whatever arrives as arguments: one defined answer each, nothing polluted, and the session works afterwards.
import { openGate } from '../support/gate.mjs'
import { DEEP, MIB, answerTo, argsOf, nestedObject, nestedText, opened, refused } from '../support/bad-input.mjs'

describe('arguments as bytes', () => {
  const text = '{"a":"Größe 😂"}'

  test.each([
    ['a Buffer', Buffer.from(text)],
    ['a part of one', Buffer.from(`xx${text}yy`).subarray(2, -2)],
    ['a Uint8Array', new TextEncoder().encode(text)],
  ])('%s is the text that it encodes', async (_what, args) => {
    expect(await argsOf(args)).toMatchObject({ ok: true, data: { a: 'Größe 😂' } })
  })

  test('are told apart from other bytes under one id, and are the same call as their text', async () => {
    const { session, got } = await opened()
    const call = args => session.execute({ id: 'call_bytes_0001', name: 'any', args })
    expect(await call(Buffer.from(text))).toMatchObject({ ok: true, data: { a: 'Größe 😂' } })
    expect(await call(text)).toMatchObject({ ok: true, meta: { _idempotent_cache_hit: true } })
    expect(await call(Buffer.from('{}'))).toMatchObject({ ok: false, error: { type: 'CONFLICT' } })
    expect(got).toHaveLength(1)
  })

  test('that are not UTF-8 are refused', async () => {
    for (const bytes of [
      Buffer.from([0x7b, 0xff, 0x7d]),
      Buffer.from('{"a":"Größe"}', 'latin1'),
      Buffer.from('{}', 'utf16le').subarray(0, 3),
    ]) {
      refused(await argsOf(bytes), '')
    }
    expect((await argsOf(Buffer.from([0xff]))).error.message).toMatch(/not UTF-8/)
  })

  test('of a call among others', async () => {
    const { session } = await opened()
    const [good, bad] = await session.executeAll([
      { name: 'any', args: Buffer.from(text) },
      { name: 'any', args: Buffer.from([0xff]) },
    ])
    expect(good).toMatchObject({ ok: true, data: { a: 'Größe 😂' } })
    expect(bad).toMatchObject({ ok: false, error: { type: 'VALIDATION' } })
  })
})

describe('arguments that mean none', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty text', ''],
    ['blanks', ' \n\t'],
    ['the text null', 'null'],
    ['{}', {}],
    ['the text {}', '{}'],
  ])('%s', async (_what, args) => {
    expect(await argsOf(args)).toMatchObject({ ok: true, data: {} })
  })

  test('no args member at all', async () => {
    expect((await answerTo({ name: 'any' })).answer.ok).toBe(true)
  })
})

describe('arguments that are no object', () => {
  test.each([
    ['a list', []],
    ['a list of objects', [{ a: 1 }]],
    ['a number', 7],
    ['a boolean', true],
    ['a list as text', '[]'],
    ['a number as text', '7'],
    ['a text as JSON', '"a"'],
    ['a boolean as text', 'false'],
  ])('%s', async (_what, args) => refused(await argsOf(args), ''))

  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a BigInt', 5n],
  ])('%s', async (_what, args) => refused(await argsOf(args), ''))
})

describe('text that is no JSON', () => {
  test.each([
    ['words', 'tea, please', ''],
    ['cut in a value', '{"a":"te', '/a'],
    ['cut after a comma', '{"a":1,', ''],
    ['single quotes', "{'a':1}", ''],
    ['a trailing comma', '{"a":1,,}', ''],
    ['two values', '{}{}', ''],
    ['a comment', '{/* */}', ''],
    ['NaN', '{"a":NaN}', '/a'],
    ['Infinity', '{"a":-Infinity}', '/a'],
    ['a leading zero', '{"a":01}', ''],
    ['a plain tab in a text', '{"a":"\t"}', '/a'],
    ['an unknown escape', '{"a":"\\x41"}', '/a'],
    ['a byte order mark', '\uFEFF{}', ''],
  ])('%s, with the place', async (_what, args, pointer) => refused(await argsOf(args), pointer))

  test('a NUL character within', async () => refused(await argsOf('{"a":"\u0000"}'), '/a'))

  test('what went wrong is told with a position, not with the whole text', async () => {
    const { error } = await argsOf(`{"a":1,"b":${'x'.repeat(5000)}}`)
    expect(error.message.length).toBeLessThan(300)
  })
})

describe('sizes and depths', () => {
  test.each([
    ['text', nestedText],
    ['an object', nestedObject(DEEP)],
  ])('100,000 levels, as %s', async (_what, args) => {
    const { error } = await argsOf(args)
    expect(error.type).toBe('VALIDATION')
    expect(error.message).toMatch(/deep|nested|levels/)
    expect(JSON.stringify(error).length).toBeLessThan(5000)
  })

  test('64 levels pass, 65 do not', async () => {
    expect((await argsOf(nestedObject(63))).ok).toBe(true)
    const { error } = await argsOf(nestedObject(64))
    expect(error.message).toMatch(/64/)
  })

  test.each([
    ['text', `{"a":"${'x'.repeat(2 * MIB)}"}`],
    ['an object', { a: 'x'.repeat(2 * MIB) }],
  ])('2 MiB, as %s', async (_what, args) => {
    const answer = await argsOf(args)
    refused(answer, '')
    expect(answer.error.message).toMatch(/1048576|1 MiB/)
  })

  test('exactly 1 MiB passes, a byte more does not; the limit counts bytes', async () => {
    const room = MIB - '{"a":""}'.length
    expect((await argsOf({ a: 'x'.repeat(room) })).ok).toBe(true)
    expect((await argsOf({ a: 'x'.repeat(room + 1) })).error.type).toBe('VALIDATION')
    expect((await argsOf({ a: 'é'.repeat(room / 2 + 1) })).error.type).toBe('VALIDATION')
  })

  test('white space alone is no arguments, however long', async () => {
    const { answer, got } = await answerTo({ name: 'any', args: ' '.repeat(2 * 1024 * 1024) })
    expect(answer.ok).toBe(true)
    expect(got).toEqual([{}])
    expect((await argsOf(`${' '.repeat(2 * 1024 * 1024)}{}`)).error.type).toBe('VALIDATION')
  })

  test("the host's own limit", async () => {
    expect((await argsOf({ a: 'xxxxxxxxxxxxxxxxxxxxxxxx' }, { limits: { maxArgsBytes: 24 } })).error.type).toBe(
      'VALIDATION',
    )
  })

  test('a million members', async () => {
    const { answer, got } = await answerTo({ name: 'any', args: `{"a":[${'0,'.repeat(400_000)}0]}` })
    expect(answer.ok).toBe(true)
    expect(got[0].a).toHaveLength(400_001)
  })
})

describe('keys', () => {
  const hostile = ['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}']

  test.each(hostile)('%s is an unknown property', async args => {
    refused(await argsOf(args), '')
    refused(await argsOf(JSON.parse(args)), '')
  })

  test.each(['{"a":{"__proto__":{"polluted":true}}}', '{"a":{"constructor":1,"toString":2,"hasOwnProperty":3}}'])(
    '%s within passes as plain data',
    async args => {
      const { answer, got } = await answerTo({ name: 'any', args })
      expect(JSON.stringify(got[0])).toBe(args)
      expect(JSON.stringify(answer.data)).toBe(args)
      expect(got[0].a.polluted).toBeUndefined()
      expect(Object.getPrototypeOf(got[0].a)).toBe(Object.getPrototypeOf(JSON.parse('{}')))
    },
  )

  test('of an object with an own __proto__', async () => {
    const args = JSON.parse('{"a":{"__proto__":{"polluted":true}}}')
    const { got } = await answerTo({ name: 'any', args })
    expect(Object.hasOwn(got[0].a, '__proto__')).toBe(true)
  })

  test('an object without a prototype', async () => {
    expect((await argsOf(Object.assign(Object.create(null), { a: 1 }))).data).toEqual({ a: 1 })
  })

  test.each([
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"a":{"b":1,"b":2},"b":0}', { a: { b: 2 }, b: 0 }],
    ['{"\\u0061":1,"a":2}', { a: 2 }],
  ])('%s names a member twice: the last counts, as JSON.parse has it', async (args, expected) => {
    const { answer, got } = await answerTo({ name: 'any', args })
    expect([answer.data, got[0]]).toEqual([expected, expected])
  })

  test('what is checked is what the handler gets: no value hides behind a second one', async () => {
    const got = []
    const { session } = await openGate({
      strict: {
        properties: { a: { type: 'string' } },
        repair: false,
        execute: ({ args }) => {
          got.push(args)
          return { ok: true }
        },
      },
    })
    const run = async args => (await (await session()).execute({ name: 'strict', args })).error?.type ?? 'ok'
    expect([await run('{"a":"fine","a":5}'), await run('{"a":5,"a":"fine"}')]).toEqual(['VALIDATION', 'ok'])
    expect(got).toEqual([{ a: 'fine' }])
  })
})

describe('texts and numbers', () => {
  test.each([
    ['raw in text', '{"a":"\ud800"}'],
    ['as an escape', '{"a":"\\ud800"}'],
    ['a low one first', '{"a":"\\udc00\\ud800"}'],
    ['in an object', { a: 'x\udfff' }],
    ['in a list', { a: ['ok', '\ud83d'] }],
  ])('half a character %s', async (_what, args) => {
    const { error } = await argsOf(args)
    expect(error.type).toBe('VALIDATION')
    expect(error.details[0].instancePath).toMatch(/^\/a/)
    expect(error.message).toMatch(/surrogate/)
  })

  test.each([
    ['in text', '{"\\ud800":1}'],
    ['in an object', { '\ud800': 1 }],
    ['raw', '{"\ud800":1}'],
  ])('half a character in a key, %s', async (_what, args) => {
    expect((await argsOf(args)).error.type).toBe('VALIDATION')
  })

  test('whole characters pass, escaped or not', async () => {
    expect((await argsOf('{"a":"\\ud83d\\ude00 😀 \\u0000"}')).data).toEqual({ a: '😀 😀 \u0000' })
  })

  test.each(['1e400', '-1e400', `1${'0'.repeat(400)}`])('the number %s is beyond a double', async number => {
    const answer = await argsOf(`{"a":${number}}`)
    refused(answer, '/a')
  })

  test.each(['1e-400', '1.7976931348623157e308', '9007199254740993'])(
    'the number %s is another one as a double',
    async number => {
      const answer = await argsOf(`{"a":${number}}`)
      refused(answer, '/a')
    },
  )

  test.each(['5e-324', '-0', '1e308', '9007199254740991', '0.1', '1E2'])(
    'the number %s arrives as JSON.parse reads it',
    async number => {
      const { got } = await answerTo({ name: 'any', args: `{"a":${number}}` })
      expect(got[0].a).toBe(JSON.parse(number))
    },
  )
})
