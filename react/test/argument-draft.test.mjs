// The form of a question without a browser: which control an argument gets, and what its text means.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { argsOfDraft, draftOf } from '../dist/question/argument-draft.js'
import { argumentFields as fieldsOf, problemOf } from '../dist/question/argument-fields.js'
import { changesOf, refusalOf } from '../dist/question/card-outcome.js'
import { visible } from '../dist/text/visible-text.js'

const argumentFields = (parameters, args, sensitive) => fieldsOf(parameters, args, visible.isVisible, sensitive)

describe('the form of a question', () => {
  const kindOf = (schema, ...values) => {
    const args = values.length === 0 ? {} : { x: values[0] }
    return argumentFields({ type: 'object', properties: { x: schema } }, args)[0]?.kind
  }

  test('a problem names its argument as the form does', () => {
    const problems = [
      ['`/seats` must be at least 1', 'Seats must be at least 1'],
      ['`/seats/0` must be a string', 'Seats 1 must be a string'],
      ['`/seats/a` must be a string', '`/seats/a` must be a string'],
      ['`/other` must be at least 1', '`/other` must be at least 1'],
    ]
    for (const [problem, words] of problems) assert.equal(problemOf({ name: 'seats', title: 'Seats' }, problem), words)
    assert.equal(problemOf({ name: 'a/b' }, '`/a~1b` is missing'), 'a/b is missing')
  })

  test('an argument has the control that shows its value whole', () => {
    const texts = { type: 'array', items: { type: 'string' } }
    const kinds = [
      ['long', { type: 'string' }, 'a\nb'],
      ['text', { type: 'string', maxLength: 40 }, 'a'],
      ['json', { type: 'string', maxLength: 40 }, 'a\nb'],
      ['json', { type: 'string' }, 'a\u202eb'],
      ['json', { type: 'string' }, 5],
      ['json', { type: ['string', 'null'] }, 'a'],
      ['integer', { type: 'integer' }, 5],
      ['boolean', { type: 'boolean' }, false],
      ['json', { type: 'boolean' }, 'false'],
      ['choice', { enum: ['a', 'b'] }, 'a'],
      ['json', { enum: ['a', 'b'] }, 'c'],
      ['json', { enum: ['a', 1] }, 1],
      ['texts', texts, ['a', 'b']],
      ['json', texts, ['a\nb']],
      ['json', texts, ['a', '']],
      ['json', { type: 'array', items: { enum: ['a'], type: 'string' } }, ['a']],
      ['moment', { type: 'string', format: 'date-time' }, '2030-05-06T10:00:00Z'],
      ['json', true, 5],
      ['masked', { type: 'string' }, '***'],
    ]
    for (const [kind, schema, value] of kinds)
      assert.equal(kindOf(schema, value), kind, JSON.stringify([schema, value]))
    assert.equal(kindOf({ type: 'string' }), 'long')
  })

  test('what the core names as sensitive is left as it is, or not there', () => {
    const kinds = [
      ['masked', { type: 'string' }, { x: '***' }],
      ['masked', { type: 'array', items: { type: 'string' } }, { x: ['***'] }],
      // Others beside a hidden member may be changed; the gate keeps it.
      ['json', { type: 'object', properties: { pin: {} } }, { x: { pin: '***' } }],
      // An absent sensitive value can't be given here.
      [undefined, { type: 'string' }, {}],
    ]
    for (const [kind, schema, args] of kinds) {
      const [field] = argumentFields({ type: 'object', properties: { x: schema } }, args, ['x'])
      assert.equal(field?.kind, kind, JSON.stringify([schema, args]))
    }
  })

  test('references are followed, also in a circle; arguments without a schema are shown too', () => {
    const $defs = {
      name: { type: 'string', maxLength: 9 },
      'A b/c': { type: 'boolean' },
      a: { $ref: '#/$defs/b' },
      b: { $ref: '#/$defs/a' },
    }
    const properties = {
      n: { $ref: '#/$defs/name' },
      e: { $ref: '#/$defs/A%20b~1c' },
      c: { $ref: '#/$defs/a' },
      o: { $ref: 'https://else.where/x' },
    }
    const fields = argumentFields({ properties, $defs, required: ['n'] }, { n: 'a', more: { of: 'it' } })
    assert.deepEqual(
      fields.map(({ name, kind, isRequired }) => [name, kind, isRequired]),
      [
        ['n', 'text', true],
        ['e', 'boolean', false],
        ['c', 'json', false],
        ['o', 'json', false],
        ['more', 'json', false],
      ],
    )
    assert.deepEqual(argumentFields(undefined, {}), [])
  })

  const field = (kind, isRequired = false) => ({ name: 'x', kind, isRequired })
  /** What comes of a text in the control of an argument. */
  function written(kind, text, { value, isRequired } = {}) {
    const fields = [field(kind, isRequired)]
    const shown = { other: 1, ...(value !== undefined && { x: value }) }
    const before = draftOf(fields, shown, JSON.stringify)
    const { args, problems, changed } = argsOfDraft(fields, shown, before, { ...before, x: text })
    assert.equal(args.other, 1)
    return problems.x ?? (changed.length === 0 ? 'unchanged' : args.x)
  }

  test('a text means the value that is read from it, or says why it means none', () => {
    assert.equal(written('integer', ' 7 ', { value: 5 }), 7)
    assert.equal(written('number', '1e999', { value: 5 }), 'must be a number')
    assert.equal(written('number', '', { value: 5 }), undefined)
    assert.equal(written('number', '', { value: 5, isRequired: true }), 'must be a number')
    assert.equal(written('number', '5', { value: 5 }), 'unchanged')
    assert.equal(written('boolean', 'false', { value: true }), false)
    assert.equal(written('boolean', '', { value: true, isRequired: true }), 'must be yes or no')
    assert.equal(written('text', '', { value: 'a', isRequired: true }), '')
    assert.equal(written('text', '', { value: 'a' }), undefined)
    assert.equal(written('text', '', { value: '' }), 'unchanged')
    assert.deepEqual(written('texts', 'a\n\n b \n', { value: ['a'] }), ['a', ' b '])
    assert.deepEqual(written('texts', '', { value: ['a'], isRequired: true }), [])
    assert.deepEqual(written('json', '{"__proto__":1}', { value: {} }), JSON.parse('{"__proto__":1}'))
    assert.equal(written('json', '{', { value: {} }), 'must be JSON: a text stands in double quotes')
    assert.equal(written('moment', '2030-13-40T10:00', { value: '2030-05-06T10:00:00Z' }), 'must be a date and a time')
    assert.equal(written('masked', 'mine', { value: '***' }), 'unchanged')
  })

  test('a moment that is not changed keeps its text; a changed one has the offset of this machine', () => {
    const value = '2030-05-06T10:00:00.250+05:30'
    const fields = [field('moment')]
    const before = draftOf(fields, { x: value }, JSON.stringify)
    assert.equal(argsOfDraft(fields, { x: value }, before, before).args.x, value)
    const { x } = argsOfDraft(fields, { x: value }, before, { x: '2030-07-01T08:15' }).args
    assert.match(x, /^2030-07-01T08:15:00[+-]\d\d:\d\d$/)
    assert.equal(new Date(x).getTime(), new Date(2030, 6, 1, 8, 15).getTime())
  })

  test('a change is shown with what was before, and a removed value apart from a long one', () => {
    const shown = { to: 'a', items: [{ n: 1 }], note: 'b', long: 'c' }
    const sent = { to: 'x', items: [{ n: 2 }], long: 'y'.repeat(900) }
    const edits = [{ path: '/to', value: 'x' }, { path: '/items/0/n', value: 2 }, { path: '/note' }, { path: '/long' }]
    assert.deepEqual(
      changesOf(edits, shown, sent).map(({ name, before, after, isRemoved }) => [name, before, after, isRemoved]),
      [
        ['to', 'a', 'x', false],
        ['items.0.n', 1, 2, false],
        ['note', 'b', undefined, true],
        ['long', 'c', undefined, false],
      ],
    )
  })

  test('a refusal is told apart from the answer of a call that ran', () => {
    const validation = (meta, details) =>
      JSON.stringify({ response: { ok: false, error: { type: 'VALIDATION', message: 'no', details }, meta } })
    const details = [
      { instancePath: '/a~1b/0', message: 'too long' },
      { instancePath: '/c', message: 'too short' },
    ]
    assert.deepEqual(refusalOf(validation({}, details)), { fields: { 'a/b': 'too long', c: 'too short' } })
    // The message has all of it.
    const whole = [...details, { instancePath: '', message: 'root' }]
    assert.deepEqual(refusalOf(validation({}, whole)), { fields: {}, message: 'no' })
    assert.deepEqual(refusalOf(validation({}, undefined)), { fields: {}, message: 'no' })
    assert.equal(refusalOf(validation({ attempts: 1 }, details)), null)
    const expired = { response: { ok: false, error: { type: 'CONFIRMATION_EXPIRED', message: 'over' }, meta: {} } }
    assert.equal(refusalOf(JSON.stringify(expired)), null)
    const large = { error: { type: 'TOO_LARGE', message: 'the body is larger' } }
    assert.deepEqual(refusalOf(JSON.stringify(large)), { fields: {}, message: 'the body is larger' })
    assert.equal(refusalOf(JSON.stringify({ error: { type: 'AUTH', message: 'who?' } })), null)
  })
})
