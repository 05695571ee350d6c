// What a server may ask of a client: a method by another name is none, whatever the objects have.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { answersMethod } = require('../../js/sources/client-methods.js')
const { askableResult } = require('../../js/sources/forwarded-question.js')

const ALL = { elicitation: {}, sampling: {}, roots: {} }

test.each(['sampling/createMessage', 'roots/list'])('%s is asked of a client that answers it', method => {
  expect([answersMethod(ALL, method), answersMethod({}, method), answersMethod(undefined, method)]).toEqual([
    true,
    false,
    false,
  ])
  const result = { resultType: 'input_required', inputRequests: { it: { method } } }
  expect(askableResult(result, 'shop', ALL)).toEqual(result)
})

test.each(['sampling/other', 'sampling', 'constructor/list', '__proto__/x', 'toString', ''])(
  '%j is refused',
  method => {
    expect(answersMethod(ALL, method)).toBe(false)
    const result = { resultType: 'input_required', inputRequests: { it: { method } } }
    expect(() => askableResult(result, 'shop', ALL)).toThrow('does not offer')
  },
)
