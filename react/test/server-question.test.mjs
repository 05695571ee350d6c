// The question of a server as a form: its fields, and the arguments of the answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argsOfDraft, draftOf } from '../dist/question/argument-draft.js'
import { argumentFields } from '../dist/question/argument-fields.js'
import { answerForm } from '../dist/question/server-question.js'
import { visible } from '../dist/text/visible-text.js'

const request = (properties, required = []) => ({ message: 'Which?', requestedSchema: { properties, required } })
const question = requests => ({
  tool: 'server_question',
  args: { id: 'a 1', source: 'shop', text: 'Which?', requests, content: {} },
})

test('a question about a call is no form', () => {
  assert.equal(answerForm({ tool: 'pay', args: {} }), null)
})

test('what is written into the fields is the content of the answer', () => {
  const size = { type: 'string', oneOf: [{ const: 's', title: 'Small' }] }
  const properties = { count: { type: 'integer', title: 'Pieces' }, size, gift: { type: 'boolean', default: true } }
  const asked = question({ order: request(properties, ['count']) })
  const form = answerForm(asked)
  const fields = argumentFields(form.parameters, form.args, visible.isVisible)
  assert.deepEqual(
    fields.map(({ title, kind, isRequired }) => [title, kind, isRequired]),
    [
      ['Pieces', 'integer', true],
      ['size', 'choice', false],
      ['gift', 'boolean', false],
    ],
  )
  const before = draftOf(fields, form.args, visible.json)
  const { args } = argsOfDraft(fields, form.args, before, { ...before, count: '3', size: 's' })
  assert.deepEqual(form.answered(args), { ...asked.args, content: { order: { count: 3, size: 's', gift: true } } })
})

test('choices are called by their titles, and sent as their values', () => {
  const properties = {
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    from: { type: 'string', enum: ['acct_1', 'acct_2'], enumNames: ['Savings', 'Wages'] },
    plain: { type: 'string', enum: ['a'] },
    note: { type: 'string' },
  }
  const form = answerForm(question({ order: request(properties) }))
  assert.deepEqual(
    Object.keys(properties).map(name => [...form.titlesOf(name)]),
    [
      [['s', 'Small']],
      [
        ['acct_1', 'Savings'],
        ['acct_2', 'Wages'],
      ],
      [['a', 'a']],
      [],
    ],
  )
  assert.deepEqual(form.answered({ from: 'acct_2' }).content, { order: { from: 'acct_2' } })
})

test('fields of several requests keep apart', () => {
  const text = { type: 'string' }
  const form = answerForm(question({ one: request({ name: text }), two: request({ name: text }) }))
  assert.deepEqual(Object.keys(form.parameters.properties), ['1.name', '2.name'])
  assert.deepEqual(form.answered({ '1.name': 'a', '2.name': 'b', other: 'c' }).content, {
    one: { name: 'a' },
    two: { name: 'b' },
  })
})
