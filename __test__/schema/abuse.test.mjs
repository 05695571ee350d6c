// Schemas and values that are made to hurt: each ends in an answer or a TypeError, and the process lives on.
import { Worker } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'

import { SchemaValidator } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'

const nested = (levels, inside, wrap) => Array.from({ length: levels }).reduce(wrap, inside)

test('a schema as deep as is read, and values as deep', () => {
  const schema = nested(40, { type: 'integer' }, below => ({ properties: { a: below }, additionalProperties: false }))
  const validator = new SchemaValidator(schema)
  expect(validator.validate(nested(40, 5, below => ({ a: below }))).valid).toBe(true)
  const { errors } = validator.validate(nested(40, 'x', below => ({ a: below })))
  expect(errors.map(({ path }) => path)).toEqual(['/a'.repeat(40)])
})

test('a deep value under a schema that goes along', () => {
  const validator = new SchemaValidator({
    $ref: '#/$defs/list',
    $defs: { list: { type: ['array', 'integer'], items: { $ref: '#/$defs/list' } } },
  })
  expect(validator.validate(nested(500, 1, below => [below])).valid).toBe(true)
  const { valid, errors } = validator.validate(nested(500, 'x', below => [below]))
  expect(valid).toBe(false)
  expect(errors[0].path).toBe('/0'.repeat(500))
})

test.each([
  ['itself', { $ref: '#' }],
  ['itself through another', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
  ['itself among others', { allOf: [{ $ref: '#' }, { type: 'object' }] }],
  ['itself by anchor', { $dynamicAnchor: 'me', $dynamicRef: '#me' }],
])('a schema that is %s', (_what, schema) => {
  let answer
  try {
    answer = new SchemaValidator(schema).validate({ a: 1 })
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return
  }
  expect(typeof answer.valid).toBe('boolean')
})

test('an enum of a hundred thousand values', () => {
  const validator = new SchemaValidator({ enum: Array.from({ length: 100_000 }, (_, n) => `value ${n}`) })
  expect(validator.validate('value 99999').valid).toBe(true)
  const { errors } = validator.validate('value')
  expect(errors).toHaveLength(1)
  expect(JSON.stringify(errors).length).toBeLessThan(10_000)
})

test.each([
  ['^(a+)+$', `${'a'.repeat(50_000)}!`],
  ['^(a|a)*$', `${'a'.repeat(50_000)}!`],
  ['(.*a){12}$', 'a'.repeat(5_000) + '!'],
  [
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    'a'.repeat(50_000),
  ],
])('the pattern %s, which backtracks for ever elsewhere', (pattern, text) => {
  expect(new SchemaValidator({ type: 'string', pattern }).validate(text)).toMatchObject({
    valid: false,
    errors: [{ keyword: 'pattern' }],
  })
  expect(new SchemaValidator({ patternProperties: { [pattern]: false } }).validate({ [text]: 1 }).valid).toBe(true)
})

test('a value of ten megabytes, right and wrong', () => {
  const validator = new SchemaValidator({
    type: 'array',
    items: { type: 'object', properties: { text: { type: 'string', maxLength: 100 }, on: { default: true } } },
  })
  const value = Array.from({ length: 100_000 }, (_, n) => ({ text: `${n} `.padEnd(90, 'x') }))
  expect(JSON.stringify(value).length).toBeGreaterThan(10_000_000)
  const good = validator.validate(value)
  expect([good.valid, good.value.length, good.value[99_999].text, 'on' in value[0]]).toEqual([
    true,
    100_000,
    value[99_999].text,
    false,
  ])
  for (const one of value.slice(-150)) one.text = 5
  const some = validator.validate(value).errors
  expect(some).toHaveLength(101)
  expect(some[100]).toMatchObject({ keyword: 'more', params: { count: 50 } })
  for (const one of value) one.text = 5
  expect(validator.validate(value).errors.map(({ path, keyword }) => [path, keyword])).toEqual([
    ['/0/text', 'type'],
    ['', 'more'],
  ])
})

describe('names that mean something to JavaScript', () => {
  const hostile = JSON.parse(
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}',
  )

  test('are members like any other, and survive', () => {
    const { valid, value } = new SchemaValidator({ properties: { filled: { default: 1 } } }).validate(hostile)
    expect(valid).toBe(true)
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString', 'filled'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect({}.polluted).toBeUndefined()
  })

  test('are checked where the schema names them', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"}},"required":["constructor"],"additionalProperties":false}',
    )
    const { errors } = new SchemaValidator(schema).validate(hostile)
    expect(errors.map(({ path, keyword }) => [path, keyword])).toEqual(
      expect.arrayContaining([
        ['/__proto__', 'type'],
        ['', 'additionalProperties'],
      ]),
    )
    expect(new SchemaValidator(schema).validate({}).errors).toMatchObject([
      { keyword: 'required', params: { missingProperty: 'constructor' } },
    ])
  })

  test('can be defaults', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"default":{"polluted":true}}}}')
    const { value } = new SchemaValidator(schema).validate({})
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(value.polluted).toBeUndefined()
    expect({}.polluted).toBeUndefined()
  })
})

describe('threads and processes', () => {
  const SOURCE = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { SchemaValidator } = require(workerData)
    const nested = levels => Array.from({ length: levels }).reduce(below => [below], 1)
    const validator = new SchemaValidator({ $ref: '#/$defs/l', $defs: { l: { type: ['array', 'integer'], items: { $ref: '#/$defs/l' } } } })
    parentPort.on('message', levels => parentPort.postMessage(validator.validate(nested(levels)).valid))`
  const INDEX = fileURLToPath(new URL('../../index.js', import.meta.url))

  const answer = worker =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })

  test('workers have their own, on their smaller stacks, and go away', async () => {
    for (let round = 0; round < 3; round++) {
      const workers = Array.from({ length: 3 }, () => new Worker(SOURCE, { eval: true, workerData: INDEX }))
      const answers = workers.map(answer)
      workers.forEach(worker => worker.postMessage(500))
      expect(await Promise.all(answers)).toEqual([true, true, true])
      expect(await Promise.all(workers.map(worker => worker.terminate()))).toEqual([1, 1, 1])
    }
    expect(new SchemaValidator({ type: 'integer' }).validate(1).valid).toBe(true)
  })

  test('a validator keeps no process alive, and many of them come and go', async () => {
    const source = `import { SchemaValidator } from ${JSON.stringify(PACKAGE)}
      let valid = 0
      for (let n = 0; n < 2000; n++) valid += new SchemaValidator({ properties: { ['p' + n]: { type: 'integer', default: n } } }).validate({}).value['p' + n]
      console.log(valid)`
    expect(await runModule(source)).toMatchObject({ code: 0, stdout: '1999000\n', stderr: '', overdue: false })
  })
})
