// SchemaValidator: what it answers, what it takes, and that it is the gate's own judgement.
import { SchemaValidator } from '../../index.js'
import { openGate } from '../support/gate.mjs'

const order = {
  type: 'object',
  additionalProperties: false,
  required: ['mail'],
  properties: {
    mail: { type: 'string', format: 'email' },
    count: { type: 'integer', minimum: 1, default: 1 },
    address: { type: 'object', properties: { country: { type: 'string', default: 'DE' } }, default: {} },
    lines: { type: 'array', items: { type: 'object', properties: { size: { enum: ['s', 'm'], default: 'm' } } } },
    pin: { type: 'string', maxLength: 4, 'x-sensitive': true },
  },
}

describe('an answer', () => {
  test('holds a copy with defaults, and leaves the value as it is', () => {
    const value = { mail: 'ann@example.com', lines: [{}, { size: 's' }] }
    const before = structuredClone(value)
    const answer = new SchemaValidator(order).validate(value)
    expect(answer).toEqual({
      valid: true,
      errors: [],
      value: { mail: 'ann@example.com', lines: [{ size: 'm' }, { size: 's' }], count: 1, address: { country: 'DE' } },
    })
    expect(value).toEqual(before)
  })

  test('is a copy where nothing is filled', () => {
    const value = { a: [1, { b: null }] }
    const answer = new SchemaValidator(true).validate(value)
    expect(answer).toEqual({ valid: true, errors: [], value })
    expect(answer.value).not.toBe(value)
    expect(answer.value.a).not.toBe(value.a)
  })

  test('names everything that is wrong, and holds the value that was checked', () => {
    const { valid, errors, value } = new SchemaValidator(order).validate({
      mail: 'nobody',
      count: '2',
      lines: [{ size: 'l' }],
      pin: '12345',
      x: 1,
    })
    expect(valid).toBe(false)
    expect(errors.map(({ path, keyword, schemaPath }) => [path, keyword, schemaPath])).toEqual(
      expect.arrayContaining([
        ['', 'additionalProperties', '#/additionalProperties'],
        ['/mail', 'format', '#/properties/mail/format'],
        ['/count', 'type', '#/properties/count/type'],
        ['/lines/0/size', 'enum', '#/properties/lines/items/properties/size/enum'],
        ['/pin', 'maxLength', '#/properties/pin/maxLength'],
      ]),
    )
    expect(errors).toHaveLength(5)
    expect(JSON.stringify(errors)).not.toContain('12345')
    expect(value).toEqual({
      mail: 'nobody',
      count: '2',
      lines: [{ size: 'l' }],
      pin: '12345',
      x: 1,
      address: { country: 'DE' },
    })
  })

  test('has one finding in full', () => {
    expect(new SchemaValidator({ type: 'integer' }).validate('5').errors).toEqual([
      {
        path: '',
        instancePath: '',
        schemaPath: '#/type',
        keyword: 'type',
        params: { type: 'integer' },
        message: 'the value must be an integer, not the string `"5"`; send the number without quotes',
      },
    ])
  })

  test('tells the same as the gate does of arguments', async () => {
    const { registry } = await openGate({ order: { properties: order.properties, required: order.required } })
    const validator = new SchemaValidator(order)
    for (const args of [
      {},
      { mail: 7 },
      { mail: 'a@b.de', count: 0.5, lines: [{ size: 1 }, 5] },
      { mail: 'a@b.de', y: 1 },
    ]) {
      const gate = registry.validateArgs('order', args)
      const { valid, errors, value } = validator.validate(args)
      expect(valid).toBe(gate.valid)
      expect(errors.map(({ path, ...issue }) => issue)).toEqual(gate.errors)
      if (valid) expect(value).toEqual(gate.args)
    }
  })

  test('keeps null, which in arguments may stand for absence', () => {
    const validator = new SchemaValidator({ properties: { a: { type: 'string', default: 'x' } } })
    expect(validator.validate({ a: null })).toMatchObject({
      valid: false,
      value: { a: null },
      errors: [{ path: '/a', keyword: 'type' }],
    })
  })

  test('leaves out a default that its own schema rejects', () => {
    const validator = new SchemaValidator({ properties: { a: { type: 'string', default: 5 }, b: { default: [1] } } })
    expect(validator.validate({})).toEqual({ valid: true, errors: [], value: { b: [1] } })
  })

  test('does not share a default between values', () => {
    const validator = new SchemaValidator({ properties: { list: { type: 'array', default: [] } } })
    validator.validate({}).value.list.push(1)
    expect(validator.validate({}).value).toEqual({ list: [] })
  })
})

describe('values that JSON can not carry', () => {
  const cycle = {}
  cycle.self = [cycle]
  let deep = 1
  for (let level = 0; level < 513; level++) deep = [deep]
  const json = message => ({
    valid: false,
    value: undefined,
    errors: [{ path: '', instancePath: '', schemaPath: '', keyword: 'json', params: {}, message }],
  })

  test.each([
    ['undefined', undefined, "the value can't be written as JSON: undefined is not JSON"],
    ['a function', () => 1, "the value can't be written as JSON: function is not JSON"],
    ['a symbol', Symbol('s'), "the value can't be written as JSON: symbol is not JSON"],
    ['a BigInt', { n: 1n }, "the value can't be written as JSON: it holds a BigInt"],
    ['a cycle', cycle, "the value can't be written as JSON: it holds a cycle"],
    [
      'what throws',
      {
        toJSON() {
          throw new Error('no')
        },
      },
      "the value can't be written as JSON: one of its values throws when it is serialized",
    ],
  ])('%s', (_what, value, message) => {
    expect(new SchemaValidator(true).validate(value)).toEqual(json(message))
  })

  test('more nesting than is read', () => {
    const { valid, errors, value } = new SchemaValidator(true).validate(deep)
    expect({ valid, value, count: errors.length }).toEqual({ valid: false, value: undefined, count: 1 })
    expect(errors[0]).toMatchObject({
      keyword: 'json',
      message: expect.stringMatching(
        /^the value can't be checked: arrays and objects are nested deeper than 512 levels/,
      ),
    })
  })

  test('the rest is what JSON.stringify makes of it', () => {
    const value = {
      nan: NaN,
      inf: -Infinity,
      gone: undefined,
      call() {},
      list: [undefined, () => 1],
      at: new Date(0),
      map: new Map([[1, 2]]),
      zero: -0,
    }
    expect(new SchemaValidator(true).validate(value)).toEqual({
      valid: true,
      errors: [],
      value: JSON.parse(JSON.stringify(value)),
    })
    expect(new SchemaValidator({ type: 'number' }).validate(NaN)).toMatchObject({ valid: false, value: null })
  })

  test('half characters come back as they were', () => {
    const value = { text: 'a\ud800b', '\udc00': 1 }
    const validator = new SchemaValidator({ properties: { more: { default: 1 } } })
    expect(validator.validate(value)).toEqual({ valid: true, errors: [], value: { ...value, more: 1 } })
  })
})

describe('formats', () => {
  const verdicts = (options, ...formats) =>
    formats.map(format => new SchemaValidator({ format }, options).validate('%%\\ {').valid)

  test.each([
    ['by default those of tools', undefined, [false, false, true, true]],
    ['all', 'all', [false, false, false, true]],
    ['as declared: none here', 'declared', [true, true, true, true]],
    ['none', [], [true, true, true, true]],
    ['a list', ['uri-template', 'email'], [false, true, false, true]],
  ])('%s', (_what, formats, expected) => {
    expect(verdicts({ formats }, 'email', 'uuid', 'uri-template', 'phone')).toEqual(expected)
  })

  test('as declared: draft 7 checks them', () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', format: 'email' }
    expect(new SchemaValidator(schema, { formats: 'declared' }).validate('x').valid).toBe(false)
  })
})

describe('dialects and remotes', () => {
  const tuple = { items: [{ type: 'string' }] }

  test.each([
    ['http://json-schema.org/draft-04/schema#'],
    ['http://json-schema.org/draft-06/schema#'],
    ['http://json-schema.org/draft-07/schema#'],
    ['https://json-schema.org/draft/2019-09/schema'],
  ])('%s writes tuples as items', $schema => {
    expect(new SchemaValidator({ $schema, ...tuple }).validate([5]).valid).toBe(false)
  })

  test('without a declaration it is 2020-12, which does not', () => {
    expect(() => new SchemaValidator(tuple)).toThrow(/^the schema is not valid at `#\/items`: /)
    expect(new SchemaValidator({ prefixItems: [{ type: 'string' }] }).validate([5]).valid).toBe(false)
  })

  test('a remote is reached, with what it refers to itself', () => {
    const remotes = {
      'https://example.com/person.json': { properties: { mail: { $ref: 'mail.json' } }, required: ['mail'] },
      'https://example.com/mail.json': { type: 'string', format: 'email' },
    }
    const validator = new SchemaValidator(
      { properties: { owner: { $ref: 'https://example.com/person.json' } } },
      { remotes },
    )
    expect(validator.validate({ owner: { mail: 'x' } }).errors.map(({ path, keyword }) => [path, keyword])).toEqual([
      ['/owner/mail', 'format'],
    ])
    expect(validator.validate({ owner: { mail: 'a@b.de' } }).valid).toBe(true)
  })

  test('defaults come from the schema itself', () => {
    const remotes = { 'https://example.com/a.json': { properties: { there: { default: 1 } } } }
    const schema = {
      allOf: [{ $ref: 'https://example.com/a.json' }, { $ref: '#/$defs/b' }],
      $defs: { b: { properties: { here: { default: 2 } } } },
    }
    expect(new SchemaValidator(schema, { remotes }).validate({}).value).toEqual({ here: 2 })
  })

  test('nothing is fetched', () => {
    expect(() => new SchemaValidator({ properties: { a: { $ref: 'https://example.com/a.json' } } })).toThrow(
      /^the reference at `#\/properties\/a\/\$ref` does not resolve: .*remote references are not fetched/,
    )
  })
})

test('an integer of draft 4 may be as large as a number can be', () => {
  const validator = new SchemaValidator({ $schema: 'http://json-schema.org/draft-04/schema#', type: 'integer' })
  const integers = [1, -7, 1e20, 1e21, -1e21, 1.5e300]
  expect(integers.filter(number => !validator.validate(number).valid)).toEqual([])
  expect([0.5, 1e-7].filter(number => validator.validate(number).valid)).toEqual([])
})

describe('a pattern that takes too many steps for a value', () => {
  const attack = `${'a'.repeat(64)}!`
  const unchecked = [
    { path: '', keyword: 'pattern', message: expect.stringContaining('could not be checked in bounds') },
  ]

  test.each([
    ['at the root', { pattern: '^(?=(a|a)*$)' }, attack],
    ['inside `not`', { not: { pattern: '^(?=(a|a)*$)' } }, attack],
    ['in an alternative', { anyOf: [{ pattern: '^(?=(a|a)*$)' }, { maxLength: 3 }] }, attack],
    ['in thousands of items', { items: { pattern: '^(?:(?=(a+)+$)|b)' } }, Array.from({ length: 5000 }, () => attack)],
    ['without a backtrack', { pattern: '^(?:(?=(?:(?=.*x)a)*)a)*$' }, `${'a'.repeat(5000)}`],
  ])('makes the value invalid %s', (_, schema, value) => {
    const { valid, errors } = new SchemaValidator(schema).validate(value)
    expect({ valid, errors }).toMatchObject({ valid: false, errors: unchecked })
  })

  test('is no error for a value that takes few', () => {
    const validator = new SchemaValidator({ pattern: '^(?=.*[0-9])(?!.*(.)\\1)[a-z0-9]{3,}$' })
    expect(validator.validate('abc1').valid).toBe(true)
    expect(validator.validate('aab1').errors).toMatchObject([
      {
        path: '',
        keyword: 'pattern',
        schemaPath: '#/pattern',
        message: expect.stringContaining('must match the pattern'),
      },
    ])
  })
})

describe('misuse throws a TypeError that says where and what', () => {
  const cycle = {}
  cycle.allOf = [cycle]
  let deep = {}
  for (let level = 0; level < 200; level++) deep = { not: deep }

  test.each([
    [
      'a wrong type',
      { properties: { a: { type: 'strnig' } } },
      {},
      /^the schema is not valid at `#\/properties\/a\/type`: /,
    ],
    ['a wrong bound', { items: { minLength: -1 } }, {}, /^the schema is not valid at `#\/items\/minLength`: /],
    [
      'a pattern that is none',
      { properties: { a: { pattern: '^(?!x' } } },
      {},
      /^the schema is not valid at `#\/properties\/a\/pattern`: `\^\(\?!x` is not a supported regular expression: it is not a pattern of ECMAScript /,
    ],
    [
      'a reference to nowhere',
      { $defs: {}, items: { $ref: '#/$defs/none' } },
      {},
      /^the reference at `#\/items\/\$ref` does not resolve: /,
    ],
    [
      'an unknown dialect',
      { $schema: 'https://example.com/mine' },
      {},
      /^the dialect `https:\/\/example\.com\/mine` is not known; declare /,
    ],
    ['a number', 5, {}, /^the schema is not valid at `#`: a schema is an object or a boolean, not a number$/],
    ['null', null, {}, /^the schema is not valid at `#`: a schema is an object or a boolean, not null$/],
    ['nothing', undefined, {}, /^the schema can't be written as JSON: undefined is not JSON$/],
    ['a cycle', cycle, {}, /^the schema can't be written as JSON: it holds a cycle$/],
    ['a BigInt', { const: 1n }, {}, /^the schema can't be written as JSON: it holds a BigInt$/],
    [
      'too much nesting',
      deep,
      {},
      /^the schema can't be read: arrays and objects are nested deeper than 127 levels at byte \d+, in `\/not\/not/,
    ],
    [
      'half a character',
      { const: '\ud800' },
      {},
      /^the schema can't be read: `\\ud800` at byte \d+ is half of a surrogate pair/,
    ],
    ['an unknown option', {}, { format: 'all' }, /^unknown validator option `format`; it takes formats, remotes$/],
    ['options that are none', {}, 'all', /^validator options must be an object$/],
    [
      'an unknown format',
      {},
      { formats: ['email', 'emial'] },
      /^`formats`: `emial` is no known format, perhaps `email`; known are email, /,
    ],
    ['another way of formats', {}, { formats: 'none' }, /^`formats` must be `all`, `declared`, or a list of formats/],
    ['formats that are no names', {}, { formats: [1] }, /^`formats` must be `all`, `declared`, or a list of formats/],
    ['remotes that are a list', {}, { remotes: [] }, /^`remotes` must be an object of schemas by their URI$/],
    [
      'a relative remote',
      {},
      { remotes: { 'a.json': {} } },
      /^`remotes` names `a\.json`; it must be an absolute URI without fragment$/,
    ],
    ['a remote with a fragment', {}, { remotes: { 'https://example.com/#a': {} } }, /^`remotes` names /],
    [
      'a remote that is a cycle',
      {},
      { remotes: { 'https://example.com/': cycle } },
      /^the options can't be written as JSON: it holds a cycle$/,
    ],
  ])('%s', (_what, schema, options, message) => {
    const attempt = () => new SchemaValidator(schema, options)
    expect(attempt).toThrow(TypeError)
    expect(attempt).toThrow(message)
  })

  test('calling it as a function', () => {
    expect(() => SchemaValidator({})).toThrow(TypeError)
  })
})
